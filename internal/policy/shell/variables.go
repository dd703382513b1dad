package shell

import "strings"

// harmlessVariables are those that, set for one command, change at most what it prints and how much
// (fp "environment prefix"). Programs obey hundreds of variables, and any of them may name a file to
// read or a program to run; so this table lists what is known, and every other name is asked about.
var harmlessVariables = wordSet(`
	NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM COLUMNS LINES
	LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME TZ
	CI DEBIAN_FRONTEND NONINTERACTIVE VERBOSE QUIET
	NODE_ENV RAILS_ENV RACK_ENV MIX_ENV APP_ENV FLASK_ENV
	RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8
	CARGO_TERM_COLOR GOOS GOARCH GOARM GOAMD64 CGO_ENABLED
	GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_AUTHOR_DATE GIT_COMMITTER_DATE
	HOMEBREW_NO_AUTO_UPDATE DOTNET_CLI_TELEMETRY_OPTOUT NEXT_TELEMETRY_DISABLED DO_NOT_TRACK
`)

// harmlessAssignments are those that say in full what they start, and that is harmless: no pager, no
// editor.
var harmlessAssignments = wordSet(`
	PAGER=cat GIT_PAGER=cat MANPAGER=cat GH_PAGER=cat SYSTEMD_PAGER=cat BAT_PAGER=cat AWS_PAGER= PAGER= GIT_PAGER=
	EDITOR=true GIT_EDITOR=true VISUAL=true EDITOR=: GIT_EDITOR=: GIT_SEQUENCE_EDITOR=true GIT_SEQUENCE_EDITOR=:
`)

// standingVariables are those that change what a later command of the same shell means, when they are
// assigned and not only set for one command; some are numbers to the shell, which evaluates what is
// assigned to them. The environment is not known, so a name counts that
// programs would obey if the shell had it exported already.
var standingVariables = wordSet(`
	PATH CDPATH IFS ENV BASH_ENV BASHOPTS SHELLOPTS SHELL PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND OPTIND FPATH
	POSIXLY_CORRECT GLOBIGNORE EXECIGNORE FIGNORE HISTFILE INPUTRC TMOUT FUNCNEST TIMEFORMAT REPLY
	fpath path cdpath module_path
	HOME PWD OLDPWD USER LOGNAME TMPDIR TMP TEMP MAIL MAILPATH HOSTFILE
	PAGER EDITOR VISUAL BROWSER TERMINAL ASKPASS LESS LESSOPEN LESSCLOSE LESSKEY MORE MAN MANOPT
	CC CXX CPP LD AR AS NM RANLIB STRIP MAKE MAKEFLAGS MFLAGS MAKEFILES GNUMAKEFLAGS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
	JAVA_HOME JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS CLASSPATH _JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS
	TAR_OPTIONS RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH ZIPOPT UNZIP GREP_OPTIONS GZIP BZIP2 XZ_OPT XZ_DEFAULTS
	NODE_OPTIONS NODE_PATH RUBYOPT RUBYLIB RUSTC RUSTC_WRAPPER RUSTFLAGS RUSTDOC AWKPATH AWKLIBPATH
	TERMINFO TERMCAP LOCPATH NLSPATH GCONV_PATH HOSTALIASES RES_OPTIONS TEXTDOMAIN TEXTDOMAINDIR
	http_proxy https_proxy all_proxy no_proxy ftp_proxy
	OPENSSL_CONF SSL_CERT_FILE SSL_CERT_DIR CURL_HOME WGETRC INPUT KUBECONFIG DOCKER_HOST DOCKER_CONFIG
	RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS EPOCHREALTIME BASHPID DIRSTACK GROUPS FUNCNAME OPTERR OPTARG MAILCHECK
	EUID UID PPID DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS WATCH_INTERVAL
`)

// standingPrefixes are families of such variables, each with what obeys it.
var standingPrefixes = []string{
	"LD_", "DYLD_", // the dynamic linkers
	"GLIBC_", "MALLOC_", // the C library
	"GIT_",          // helpers, hooks and configuration of git
	"COMP_", "HIST", // variables of bash with a meaning
	"BASH_", "ZDOTDIR", "KSH_", // what the shells run when they start and between commands
	"PYTHON", "PERL", "RUBY", // modules that interpreters load
	"PHP", "LUA_", "NODE_", // the same
	"npm_", "NPM_", "YARN_", // script shells of package managers
	"CARGO", "GO", "RUST", "PIP", // compilers and wrappers that build tools start
	"MAN", "LESS", "SYSTEMD_", // pagers
	"SSH_", "SUDO_", "AWS_", "DOCKER_", // programs that ask for passwords, endpoints and credentials
	"XDG_",  // where configuration is looked for
	"HTTP_", // proxies
	"HTTPS_", "ALL_", "APPROVALD",
}

// pagerSuffixes end the names of variables that hold a command by custom: GH_PAGER, HGEDITOR …
var pagerSuffixes = []string{"PAGER", "EDITOR", "BROWSER", "_COMMAND", "_CMD", "_SHELL", "_PATH", "_WRAPPER", "_OPTIONS", "_OPTS", "FLAGS", "ASKPASS", "_PROXY", "_proxy"}

// standing reports whether an assignment to name changes what later commands mean.
func standing(name string) bool {
	if harmlessVariables()[name] {
		return false
	}
	if standingVariables()[name] {
		return true
	}
	for _, prefix := range standingPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range pagerSuffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
