package shell

import (
	"slices"
	"strings"
	"testing"
)

// Where the last stage of a text may run, as the cd commands before it spell it.
func TestWhereStagesRun(t *testing.T) {
	tests := []struct {
		command string
		dirs    string // joined by blanks; "" for the command's own alone
		lost    bool
	}{
		{"ls", "", false},
		{"cd sub && ls", "sub", false},
		{"cd sub; ls", "sub .", false},
		{"cd sub || ls", "", false},
		{"cd sub || exit 1; ls", "sub", false},
		{"cd sub || { echo no; exit; }; ls", "sub", false},
		{"! cd sub && ls", "", false},
		{"cd a && cd b && ls", "a/b", false},
		{"cd a && cd /b && ls", "/b", false},
		{"cd .. && ls", "..", false},
		{"cd ../x && ls", "../x", false},
		{"cd a && cd .. && ls", "a/.. .", false},
		{"cd a/../b && ls", "a/../b b", false},
		{"cd -P -- sub && ls", "sub", false},
		{`c\d 'sub' && ls`, "sub", false},
		{"command cd sub && ls", "sub", false},
		{"env cd sub && ls", "", false},
		{"(cd sub); ls", "", false},
		{"(cd sub && ls)", "sub", false},
		{"{ cd sub; } && ls", "sub", false},
		{"echo $(cd sub); ls", "", false},
		{"echo $(cd sub && ls)", "sub", false},
		{"cd sub | cat; ls", "", false},
		{"cd sub & ls", "", false},
		{"if a; then cd sub; fi; ls", "sub .", false},
		{"if cd sub; then ls; fi", "sub", false},
		{"if cd sub; then a; else ls; fi", "", false},
		{"case x in a) cd a;; b) cd b;; esac; ls", ". a b", false},
		{"cd", "", false},
		{"cd; ls", "", true},
		{"cd -; ls", "", true},
		{"cd ~; ls", "", true},
		{"cd $x; ls", "", true},
		{"cd \"$x\" && ls", "", true},
		{"cd a b; ls", "", true},
		{"CDPATH=/ cd sub; ls", "sub .", true},
		{"pushd sub && ls", "", true},
		{"popd; ls", "", true},
		{"while a; do cd ..; ls; done", ".. .", true},
		{"f() { cd sub; }; f; ls", "", true},
		{"cd sub && for f in a; do ls; done", "sub", false},
		{"cd . && ls", "", false},
		{"cd /srv/app && ls", "", false},
		{"cd sub && cd /srv/app && ls", "", false},
		{"cd sub && cd . && ls", "sub", false},
		{"git -C sub status", "sub", false},
		{"cd a && git -C b status", "a/b", false},
		{"chroot /x ls", "", true},
		{"eval x; ls", "", true},
		{"cd a; cd b; cd c; ls", "a/b/c b/c a/c c", true}, // more than are told apart
		{"cd " + strings.Repeat("a", 2000) + " && ls", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			stages := Stages(tt.command, "bash", cwd)
			i := len(stages) - 1
			if strings.HasSuffix(tt.command, "ls)") || strings.Contains(tt.command, "; ls") || strings.Contains(tt.command, "& ls") || strings.Contains(tt.command, "then ls") {
				i = slices.IndexFunc(stages, func(s Stage) bool { return s.Argv[0] == "ls" })
			}
			if s := stages[i]; strings.Join(s.Dirs, " ") != tt.dirs || s.Lost != tt.lost {
				t.Errorf("Dirs %q, Lost %v, want %q, %v (%+v)", s.Dirs, s.Lost, tt.dirs, tt.lost, s)
			}
		})
	}
}

// A cd is known safe where it leads nowhere, and only then.
func TestCdThatLeadsNowhere(t *testing.T) {
	tests := []struct {
		command string
		safe    bool
	}{
		{"cd .", true}, {"cd ./", true}, {"cd -- .", true}, {"cd /srv/app", true}, {"cd /srv/app/", true}, {"cd /srv//app/.", true},
		{"cd sub", false}, {"cd ..", false}, {"cd sub/..", false}, {"cd /srv/app/sub/..", false}, {"cd /srv", false}, {"cd /srv/application", false},
		{"cd", false}, {"cd -", false}, {"cd ~", false}, {"cd \"$PWD\"", false}, {"cd ''", false}, {"cd . > x", false}, {"cd . x", false},
		{"CDPATH=/ cd .", false}, {"cd() { ls; }; cd .", false},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			stages := Stages(tt.command, "bash", cwd)
			if got := stages[len(stages)-1].KnownSafe; got != tt.safe {
				t.Errorf("KnownSafe = %v, want %v", got, tt.safe)
			}
		})
	}
	if Stages("cd .", "bash", "")[0].KnownSafe != true || Stages("cd /", "bash", "")[0].KnownSafe {
		t.Error("without a directory of the command only . leads nowhere")
	}
}
