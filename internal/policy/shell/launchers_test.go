package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every launcher of the table gives up what it starts, its options weighed one by one.
func TestLaunchers(t *testing.T) {
	tests := []struct {
		command   string
		want      []string // the stages
		launchers string   // of the last stage: the words in front of the command, | between launchers
	}{
		{"env ls", []string{"ls"}, "env"},
		{"env -i -u X NO_COLOR=1 LC_ALL=C ls -l", []string{"ls -l"}, "env -i -u X NO_COLOR=1 LC_ALL=C"},
		{"env --unset=X --ignore-environment ls", []string{"ls"}, "env --unset=X --ignore-environment"},
		{"/usr/bin/env ls", []string{"ls"}, "/usr/bin/env"},
		{"./env ls", []string{"./env ls", "ls"}, "./env"}, // not the system's own
		{"/tmp/xargs rm", []string{"/tmp/xargs rm", "rm <<input>>"}, "/tmp/xargs"},
		{"nice rm a", []string{"rm a"}, "nice"},
		{"nice -n 19 rm a", []string{"rm a"}, "nice -n 19"},
		{"nice -n19 -- rm a", []string{"rm a"}, "nice -n19 --"},
		{"nice -19 rm a", []string{"rm a"}, "nice -19"},
		{"nice --adjustment=5 rm a", []string{"rm a"}, "nice --adjustment=5"},
		{"nohup make", []string{"make"}, "nohup"},
		{"timeout 5 ls", []string{"ls"}, "timeout 5"},
		{"timeout -k 1 -s KILL --foreground 5 ls", []string{"ls"}, "timeout -k 1 -s KILL --foreground 5"},
		{"gtimeout 5 ls", []string{"ls"}, "gtimeout 5"},
		{"command time -v ls", []string{"ls"}, "command|time -v"},
		{"stdbuf -oL -e 0 ls", []string{"ls"}, "stdbuf -oL -e 0"},
		{"setsid -w ls", []string{"ls"}, "setsid -w"},
		{"ionice -c 3 ls", []string{"ls"}, "ionice -c 3"},
		{"chrt -b 0 ls", []string{"ls"}, "chrt -b 0"},
		{"taskset -c 0,1 ls", []string{"ls"}, "taskset -c 0,1"},
		{"caffeinate -i -t 5 ls", []string{"ls"}, "caffeinate -i -t 5"},
		{"unbuffer ls", []string{"ls"}, "unbuffer"},
		{"chronic ls", []string{"ls"}, "chronic"},
		{"busybox rm a", []string{"rm a"}, "busybox"},
		{"toybox rm a", []string{"rm a"}, "toybox"},
		{"command -p rm a", []string{"rm a"}, "command -p"},
		{"builtin echo a", []string{"echo a"}, "builtin"},
		{"exec -a x ls", []string{"ls"}, "exec -a x"},
		{"xargs rm", []string{"rm <<input>>"}, "xargs"},
		{"xargs -0 -n1 -P 4 --no-run-if-empty rm -f", []string{"rm -f <<input>>"}, "xargs -0 -n1 -P 4 --no-run-if-empty"},
		{"xargs -I % cp % b", []string{"cp <%> b"}, "xargs -I %"},
		{"xargs -i cp {} b", []string{"cp <{}> b"}, "xargs -i"},
		{"xargs --replace=% cp a% b", []string{"cp <a%> b"}, "xargs --replace=%"},
		{"nohup nice timeout 5 ls", []string{"ls"}, "nohup|nice|timeout 5"},

		{"sudo -n -u root rm a", []string{"sudo -n -u root rm a", "rm a"}, "sudo -n -u root"},
		{"sudo LC_ALL=C rm a", []string{"sudo LC_ALL=C rm a", "rm a"}, "sudo LC_ALL=C"},
		{"doas -u x rm a", []string{"doas -u x rm a", "rm a"}, "doas -u x"},
		{"pkexec rm a", []string{"pkexec rm a", "rm a"}, "pkexec"},
		{"setpriv --no-new-privs rm a", []string{"setpriv --no-new-privs rm a", "rm a"}, "setpriv --no-new-privs"},
		{"fakeroot rm a", []string{"fakeroot rm a", "rm a"}, "fakeroot"},
		{"chroot /x rm a", []string{"chroot /x rm a", "rm a"}, "chroot /x"},
		{"unshare -rn rm a", []string{"unshare -rn rm a", "rm a"}, "unshare -rn"},
		{"nsenter -t 1 -m rm a", []string{"nsenter -t 1 -m rm a", "rm a"}, "nsenter -t 1 -m"},
		{"systemd-run --user --scope rm a", []string{"systemd-run --user --scope rm a", "rm a"}, "systemd-run --user --scope"},
		{"systemd-inhibit --what=idle rm a", []string{"systemd-inhibit --what=idle rm a", "rm a"}, "systemd-inhibit --what=idle"},
		{"strace -f -e open rm a", []string{"strace -f -e open rm a", "rm a"}, "strace -f -e open"},
		{"ltrace -f rm a", []string{"ltrace -f rm a", "rm a"}, "ltrace -f"},
		{"valgrind --tool=memcheck rm a", []string{"valgrind --tool=memcheck rm a", "rm a"}, "valgrind --tool=memcheck"},
		{"dbus-run-session rm a", []string{"dbus-run-session rm a", "rm a"}, "dbus-run-session"},
		{"xvfb-run -a rm a", []string{"xvfb-run -a rm a", "rm a"}, "xvfb-run -a"},
		{"sudo nice rm a", []string{"sudo nice rm a", "rm a"}, "sudo|nice"},
	}
	tested := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			stages := Stages(tt.command, "bash", cwd)
			if diff := cmp.Diff(tt.want, rendered(stages)); diff != "" {
				t.Fatalf("(-want +got)\n%s\n%+v", diff, stages)
			}
			var got []string
			for _, l := range stages[len(stages)-1].Launchers {
				got = append(got, strings.Join(l, " "))
				tested[base(l[0])] = true
			}
			if diff := cmp.Diff(tt.launchers, strings.Join(got, "|")); diff != "" {
				t.Errorf("launchers (-want +got)\n%s", diff)
			}
		})
	}
	for name := range launchers() {
		if !tested[name] {
			t.Errorf("the launcher %s is not tested", name)
		}
	}
}

func TestLaunchersThatAreNotUnderstood(t *testing.T) {
	for _, command := range []string{
		"env -S 'rm a'", "env -C / rm a", "env --chdir=/ rm a", "env $x rm a", "env -u $x rm a", "env FOO=1 rm a", "env PATH=. rm a",
		"nice --foo rm a", "timeout --foo 5 rm a", "timeout $t rm a", "time -o x rm a", "nohup -x rm a",
		"xargs -a f rm", "xargs -p rm", "xargs --arg-file=f rm", "xargs -o rm", "xargs -I{} {} a",
		"sudo -s rm a", "sudo -i rm a", "sudo -e f", "sudo --chdir=/ rm a", "sudo PATH=. rm a", "doas -s",
		"strace -o '|sh' rm a", "strace -E A=b rm a", "exec -x rm a", "unshare", "chroot /x", "su -c 'rm a'",
		"watch rm a", "flock f rm a", "parallel rm ::: a", "script -c 'rm a'", "command -x rm", "ssh host -o ProxyCommand=x ls", "ssh -o ProxyCommand=x host ls", "ssh -F f host ls", "ssh host \"$x\"", "ssh host 'ls; rm a'",
	} {
		t.Run(command, func(t *testing.T) {
			if stages := Stages(command, "bash", cwd); stages[0].Complete {
				t.Errorf("got %+v, want the stage opaque", stages)
			}
		})
	}
}

// Deny rules must find the command also where the launcher is not understood.
func TestWhatAnUnknownLauncherMightRunIsCode(t *testing.T) {
	for _, command := range []string{
		"nice --foo rm a", "sudo -s rm a", "watch rm a", "flock f rm a", "find . -execdir rm a ';'", "find . -ok rm a ';'",
		"docker exec -it web rm a", "docker run --rm img rm a", "kubectl exec pod -- rm a", "npx rm a", "uv run rm a",
		"ssh host rm a", "ssh -p 22 host rm a", "ssh host -- rm a", "sh -c 'rm a'", "bash -lc 'ls; rm a'", "sh <<'E'\nrm a\nE", "bash <<< 'rm a'",
		"docker exec web sh -c 'rm a'", "sh -c \"sh -c 'rm a'\"", "sh -c 'nice rm a'", "sh -c 'x=$(rm a)'",
		"eval rm a", "eval 'ls; rm a'", "trap 'rm a' EXIT", "eval \"eval 'rm a'\"",
	} {
		t.Run(command, func(t *testing.T) {
			s := Stages(command, "bash", cwd)[0]
			if !slices.ContainsFunc(s.Code, func(argv []string) bool { return slices.Equal(argv, []string{"rm", "a"}) }) {
				t.Errorf("Code = %q, want it to hold rm a (%+v)", s.Code, s)
			}
		})
	}
}
