package shell

import (
	"strings"
	"sync"
)

// carrier says which options of a program name a command to run, or text that can hold one. What they
// carry is not looked into: the stage is opaque.
type carrier struct {
	short string // letters, wherever they stand behind a single dash
	long  string // long options; an abbreviation counts
	exact string // whole words of other shapes, also in front of =value; one with a final colon or + begins a word
	bare  bool   // the first operand is a cluster of letters even without a dash (tar xIf)

	longs, exacts []string // long and exact word by word, see listed
}

// listed gives every row of a table its lists.
func listed(table map[string][]carrier) map[string][]carrier {
	for _, rows := range table {
		for i := range rows {
			rows[i].longs, rows[i].exacts = strings.Fields(rows[i].long), strings.Fields(rows[i].exact)
		}
	}
	return table
}

// carriers are generous: a letter that means something else in some version costs a question, one that
// is missing would be a hole. Each row says what the options run.
var carriers = sync.OnceValue(func() map[string][]carrier {
	return listed(map[string][]carrier{
		"hg":          {{long: "config ssh pager"}},                                                                                                              // extensions, hooks and programs by configuration
		"svn":         {{long: "config-option editor-cmd diff-cmd diff3-cmd"}},                                                                                   // programs
		"rg":          {{long: "pre hostname-bin"}},                                                                                                              // a preprocessor for every file, a program
		"ag":          {{long: "pager"}},                                                                                                                         // a pager
		"ack":         {{long: "pager"}},                                                                                                                         // a pager
		"fd":          {{short: "xX", long: "exec exec-batch"}},                                                                                                  // a command for every file
		"fdfind":      {{short: "xX", long: "exec exec-batch"}},                                                                                                  // the same, as Debian names it
		"bat":         {{long: "pager"}},                                                                                                                         // a pager
		"batcat":      {{long: "pager"}},                                                                                                                         // a pager
		"delta":       {{long: "pager"}},                                                                                                                         // a pager
		"fzf":         {{long: "preview bind listen"}},                                                                                                           // commands in a shell
		"tar":         {{short: "IF", long: tarCommands, bare: true}},                                                                                            // programs for (de)compression, every file, every tape
		"gtar":        {{short: "IF", long: tarCommands, bare: true}},                                                                                            // the same
		"bsdtar":      {{short: "I", long: "use-compress-program", bare: true}},                                                                                  // a program
		"cpio":        {{long: "rsh-command"}},                                                                                                                   // a program
		"zip":         {{short: "T", long: "unzip-command"}},                                                                                                     // a tester (-TT)
		"rsync":       {{short: "eM", long: "rsh rsync-path remote-option"}},                                                                                     // a remote shell, a program at the other end
		"scp":         {{short: "SoFD"}},                                                                                                                         // a program, ProxyCommand
		"sftp":        {{short: "SoFDsb"}},                                                                                                                       // the same, a batch of commands
		"sshfs":       {{short: "o"}},                                                                                                                            // ssh_command
		"mosh":        {{long: "ssh server client"}},                                                                                                             // programs
		"man":         {{short: "PHC", long: "pager html gxditview config-file"}},                                                                                // a pager, a browser, a configuration with both
		"sort":        {{long: "compress-program"}},                                                                                                              // a program
		"split":       {{long: "filter"}},                                                                                                                        // a command for every part
		"less":        {{short: "koO", long: "lesskey-file lesskey-src lesskey-content log-file LOG-FILE"}, {exact: "+"}},                                        // keys that run programs, commands at start
		"more":        {{exact: "+"}},                                                                                                                            // commands at start
		"most":        {{exact: "+"}},                                                                                                                            // the same
		"vim":         {{short: "cSsuUwW", long: "cmd"}, {exact: "+"}},                                                                                           // commands of the editor, which runs programs
		"vi":          {{short: "cSsuUwW", long: "cmd"}, {exact: "+"}},                                                                                           // the same
		"view":        {{short: "cSsuUwW", long: "cmd"}, {exact: "+"}},                                                                                           // the same
		"nvim":        {{short: "cSsuUwWl", long: "cmd"}, {exact: "+"}},                                                                                          // the same
		"emacs":       {{short: "lf", long: "eval execute load funcall script batch"}, {exact: "-eval"}},                                                         // Lisp
		"emacsclient": {{short: "ea", long: "eval alternate-editor"}},                                                                                            // Lisp, an editor
		"nano":        {{short: "sf", long: "speller rcfile"}},                                                                                                   // a speller, a configuration with one
		"gdb":         {{short: "xe", long: "eval-command command init-command init-eval-command"}, {exact: "-ex"}},                                              // commands of the debugger
		"lldb":        {{short: "osSOkQ", long: "one-line source"}},                                                                                              // the same
		"make":        {{short: "E", long: "eval"}, {exact: makeVariables}},                                                                                      // rules, programs
		"gmake":       {{short: "E", long: "eval"}, {exact: makeVariables}},                                                                                      // the same
		"cmake":       {{short: "PE"}, {exact: "-DCMAKE_C_COMPILER -DCMAKE_CXX_COMPILER"}},                                                                       // scripts, commands, programs
		"gcc":         {{exact: "-wrapper -fplugin -specs"}, {short: "B"}},                                                                                       // programs and plug-ins
		"g++":         {{exact: "-wrapper -fplugin -specs"}, {short: "B"}},                                                                                       // the same
		"cc":          {{exact: "-wrapper -fplugin -specs"}, {short: "B"}},                                                                                       // the same
		"clang":       {{exact: "-fplugin -load"}, {short: "B"}},                                                                                                 // the same
		"go":          {{exact: "-w --w -exec --exec -toolexec --toolexec -vettool --vettool -overlay --overlay"}},                                               // go env -w, programs around tools
		"cargo":       {{long: "config"}},                                                                                                                        // a wrapper for the compiler
		"npm":         {{short: "c", long: "call script-shell node-options prefix userconfig globalconfig git"}, {exact: "script-shell node-options"}},           // shells and configuration
		"yarn":        {{long: "script-shell use-yarnrc"}, {exact: "script-shell node-options"}},                                                                 // the same
		"pnpm":        {{short: "c", long: "shell-mode script-shell"}, {exact: "script-shell node-options"}},                                                     // the same
		"pip":         {{long: "python editor global-option"}},                                                                                                   // an interpreter
		"kubectl":     {{long: "kubeconfig exec-command"}},                                                                                                       // a configuration that names programs
		"helm":        {{long: "post-renderer kubeconfig"}},                                                                                                      // a program
		"ansible":     {{short: "ma", long: "module-name args"}},                                                                                                 // modules that run commands
		"curl":        {{short: "K", long: "config engine"}},                                                                                                     // options from a file, a library
		"wget":        {{short: "e", long: "execute use-askpass config"}},                                                                                        // commands of the start-up file, a program
		"aria2c":      {{long: "on-download-complete on-download-start on-download-error on-download-stop on-download-pause on-bt-download-complete conf-path"}}, // hooks
		"tcpdump":     {{short: "z"}},                                                                                                                            // a program for every file
		"socat":       {{exact: "EXEC: SYSTEM: SHELL: exec: system: shell:"}},                                                                                    // programs as addresses
		"nc":          {{short: "ec", long: "exec sh-exec lua-exec"}},                                                                                            // programs
		"ncat":        {{short: "ec", long: "exec sh-exec lua-exec"}},                                                                                            // the same
		"openssl":     {{exact: "-engine -provider -provider-path -config"}},                                                                                     // libraries
		"gpg":         {{long: "photo-viewer keyserver-options exec-path options homedir agent-program pinentry-program dirmngr-program"}},                       // programs
		"tmux":        {{short: "cf"}, {exact: tmuxCommands}},                                                                                                    // shell commands
		"apt":         {{short: "oc", long: "option config-file"}},                                                                                               // hooks by configuration
		"apt-get":     {{short: "oc", long: "option config-file"}},                                                                                               // the same
		"dpkg":        {{long: "pre-invoke post-invoke status-logger"}},                                                                                          // hooks
		"ctags":       {{long: "options"}},                                                                                                                       // a file of options with commands
		"ip":          {{exact: "netns vrf -b -batch --batch"}},                                                                                                  // netns exec, a file of commands
		"rpm":         {{short: "ED", long: "eval define pipe"}},                                                                                                 // macros that run programs
		"gvim":        {{short: "cSsuUwW", long: "cmd"}, {exact: "+"}},                                                                                           // the same
		"vimdiff":     {{short: "cSsuUwW", long: "cmd"}, {exact: "+"}},                                                                                           // the same
		"gvimdiff":    {{short: "cSsuUwW", long: "cmd"}, {exact: "+"}},                                                                                           // the same
		"rvim":        {{short: "cSsuUwW", long: "cmd"}, {exact: "+"}},                                                                                           // the same
		"rview":       {{short: "cSsuUwW", long: "cmd"}, {exact: "+"}},                                                                                           // the same
		"gview":       {{short: "cSsuUwW", long: "cmd"}, {exact: "+"}},                                                                                           // the same
		"lftp":        {{short: "cef"}},                                                                                                                          // commands of its own, ! among them
		"gnuplot":     {{exact: "-e"}},                                                                                                                           // program text
		"octave":      {{long: "eval"}},                                                                                                                          // the same
		"guile":       {{short: "ceLl"}},                                                                                                                         // the same
		"racket":      {{short: "eftrl", long: "eval load require"}},                                                                                             // the same
		"sbcl":        {{long: "eval load userinit sysinit"}},                                                                                                    // the same
		"clojure":     {{exact: "-e --eval -Sdeps -i --init"}},                                                                                                   // the same
		"clj":         {{exact: "-e --eval -Sdeps -i --init"}},                                                                                                   // the same
		"bb":          {{exact: "-e --eval"}},                                                                                                                    // the same
		"swift":       {{exact: "-e"}},                                                                                                                           // the same
		"kotlin":      {{exact: "-e"}},                                                                                                                           // the same
		"erl":         {{exact: "-eval -run -s"}},                                                                                                                // the same
		"iex":         {{short: "e", long: "eval"}},                                                                                                              // the same
		"crystal":     {{exact: "eval"}},                                                                                                                         // the same
		"mongo":       {{long: "eval"}},                                                                                                                          // the same
		"mongosh":     {{long: "eval"}},                                                                                                                          // the same
		"pandoc":      {{short: "FL", long: "filter lua-filter pdf-engine"}},                                                                                     // programs that change the document
		"rclone":      {{long: "password-command"}},                                                                                                              // a program
		"restic":      {{short: "o", long: "password-command option"}},                                                                                           // programs
		"borg":        {{long: "rsh"}},                                                                                                                           // a remote shell
		"yt-dlp":      {{long: "exec exec-before-download downloader config-location"}},                                                                          // commands for every file
		"youtube-dl":  {{long: "exec external-downloader config-location"}},                                                                                      // the same
		"install":     {{long: "strip-program"}},                                                                                                                 // a program
		"ar":          {{long: "plugin"}},                                                                                                                        // a library
		"nm":          {{long: "plugin"}},                                                                                                                        // the same
		"ranlib":      {{long: "plugin"}},                                                                                                                        // the same
		"ld":          {{exact: "-plugin --plugin"}},                                                                                                             // the same
		"rustc":       {{exact: "linker -Clinker"}},                                                                                                              // a program
		"ssh-keygen":  {{short: "Dw"}},                                                                                                                           // libraries
		"ssh-add":     {{short: "sSe"}},                                                                                                                          // the same
		"nmap":        {{long: "script"}},                                                                                                                        // program text
		"tshark":      {{short: "X"}},                                                                                                                            // the same
		"bazel":       {{long: "run_under"}},                                                                                                                     // a program around the one that is run
		"gradle":      {{short: "I", long: "init-script"}},                                                                                                       // program text
		"gradlew":     {{short: "I", long: "init-script"}},                                                                                                       // the same
		"gh":          {{exact: "alias"}},                                                                                                                        // aliases that begin with ! are commands
		"jj":          {{long: "config config-file"}, {exact: "util"}},                                                                                           // programs by configuration, commands
		"pdflatex":    {{exact: texShell}},                                                                                                                       // commands in the document
		"latex":       {{exact: texShell}},                                                                                                                       // the same
		"xelatex":     {{exact: texShell}},                                                                                                                       // the same
		"lualatex":    {{exact: texShell}},                                                                                                                       // the same
		"tex":         {{exact: texShell}},                                                                                                                       // the same
		"latexmk":     {{exact: "-e -r -pdflatex -latex -xelatex -lualatex " + texShell}},                                                                        // Perl, programs
		"gs":          {{exact: "-c"}},                                                                                                                           // program text
		"openvpn":     {{long: "up down ipchange route-up tls-verify auth-user-pass-verify client-connect learn-address plugin config"}},                         // programs
		"iptables":    {{long: "modprobe"}},                                                                                                                      // a program
		"rpmbuild":    {{short: "ED", long: "eval define"}},                                                                                                      // macros that run programs
		"mpv":         {{long: "script scripts input-commands"}},                                                                                                 // program text
		"npx":         {{short: "c", long: "call"}},                                                                                                              // text for a shell
		"vagrant":     {{short: "c", long: "command"}},                                                                                                           // the same
		"gcloud":      {{long: "command"}},                                                                                                                       // the same
		"aws":         {{exact: "credential_process"}},                                                                                                           // a program by configuration
		"terraform":   {{exact: "-chdir -plugin-dir"}},                                                                                                           // providers from elsewhere
	})
})

// Lists that several rows share.
const (
	tarCommands   = "checkpoint-action use-compress-program to-command info-script new-volume-script rmt-command rsh-command"
	makeVariables = "SHELL CC CXX CPP LD AR AS MAKE MAKEFLAGS MAKEFILES .SHELLFLAGS"
	texShell      = "-shell-escape --shell-escape -enable-write18 --enable-write18"
	tmuxCommands  = `new new-session neww new-window splitw split-window run run-shell if if-shell pipep pipe-pane
		respawnp respawn-pane respawnw respawn-window popup display-popup send send-keys source source-file
		confirm confirm-before bind bind-key set-hook`
)

// opaquePrograms are those whose words or standard input are commands in a language of their own.
var opaquePrograms = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"su":        "starts a shell of another user", // -c, or standard input
		"runuser":   "starts a shell of another user", // the same
		"sg":        "starts a shell in another group",
		"newgrp":    "starts a shell in another group",
		"script":    "starts a shell", // -c
		"nix-shell": "starts a shell", // --run
		"parallel":  "builds commands from its input",
		"at":        "runs its standard input later",
		"batch":     "runs its standard input later",
		"ed":        "runs editor commands from its standard input", // !command
		"red":       "runs editor commands from its standard input",
		"ex":        "runs editor commands from its standard input",
		"dc":        "runs commands of its own language", // !command
		"m4":        "runs commands of its own language", // syscmd
		"entr":      "starts the command in its operands",
		"watch":     "starts the command in its operands", // joined and given to a shell
		"rlwrap":    "starts the command in its operands",
		"firejail":  "starts the command in its operands",
		"bwrap":     "starts the command in its operands",
		"proot":     "starts the command in its operands",
		"flock":     "starts the command in its operands", // by a shell with -c
		"parset":    "builds commands from its input",
		"gdbserver": "starts the command in its operands",
		"perf":      "starts the command in its operands",
		"hyperfine": "starts the commands in its operands", // by a shell
		"xdg-open":  "starts whatever opens its operand",
		"crontab":   "installs commands to be run later",
		"expect":    "runs commands of its own language",
	}
})

// otherLaunchers are more programs that start what their operands say, in ways that are not gone into.
var otherLaunchers = wordSet(`
	sshpass autossh setarch linux32 linux64 uname26 runcon capsh prlimit gosu su-exec setuidgid softlimit chpst envdir envuidgid setlock
	tini dumb-init catatonit proxychains proxychains4 torsocks torify tsocks eatmydata faketime cgexec numactl choom trickle nocache catchsegv
	start-stop-daemon daemonize run-parts watchexec nodemon concurrently tsp pdsh dsh clush ssh-agent xinit startx dbus-launch sandbox-exec
	screen xterm uxterm rxvt urxvt konsole gnome-terminal xfce4-terminal alacritty kitty env_parallel sem rush
	ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1
	 open logrotate
`)

// foreignShells are programs that run text of languages whose words mean something else.
var foreignShells = wordSet(`
	pwsh powershell pwsh.exe powershell.exe cmd cmd.exe wsl wsl.exe bash.exe jshell
`)

// opaqueProgram says why a program is opaque whatever its words are, or "".
func opaqueProgram(name string) string {
	switch {
	case otherLaunchers()[name]:
		return "starts the command in its operands"
	case foreignShells()[name]:
		return "runs program text of another kind"
	}
	return opaquePrograms()[name]
}

// carriesCommand reports why a word of a program may hold a command, or "".
func carriesCommand(rows []carrier, words []word) string {
	for r := range rows {
		row := &rows[r]
		for i, w := range words[1:] {
			if w.dynamic && w.mayBeOption() && (w.lead == "" || w.splits) {
				return "has a word that may turn out to be an option with a command"
			}
			text := w.text
			if w.dynamic {
				text = w.lead
			}
			if row.bare && i == 0 && text != "" && text[0] != '-' {
				text = "-" + text
			}
			if row.carries(text) {
				return "has an option that can hold a command"
			}
		}
	}
	return ""
}

// carries reports whether one word is among the options of a row.
func (c *carrier) carries(text string) bool {
	for _, exact := range c.exacts {
		begins := strings.HasPrefix(text, exact)
		if last := exact[len(exact)-1]; begins && (len(text) == len(exact) || text[len(exact)] == '=' || last == ':' || last == '+') {
			return true
		}
	}
	if len(text) < 2 || text[0] != '-' {
		return false
	}
	if text[1] != '-' {
		return c.short != "" && strings.ContainsAny(text[1:], c.short)
	}
	name, _, _ := strings.Cut(text[2:], "=")
	for _, long := range c.longs {
		if name != "" && strings.HasPrefix(long, name) {
			return true
		}
	}
	return false
}
