package shell

import (
	"strings"
	"testing"
)

// The files of the one stage of a command: r or w, > in front where the shell opens it, ? where only
// the running shell knows it.
func TestFiles(t *testing.T) {
	tests := []struct{ command, want string }{
		{"echo a", ""},
		{"echo a > x", ">w x"},
		{"echo a >> x", ">w x"},
		{"echo a >| x", ">w x"},
		{"echo a 1> x", ">w x"},
		{"echo a &> x", ">w x"},
		{"echo a &>> x", ">w x"},
		{"echo a >& x", ">w x"},
		{"cat <> x", ">r x, >w x"},
		{"cat < x", ">r x"},
		{"echo a > 'x y'", ">w x y"},
		{"echo a > $x", ">w? $x"},
		{"echo a > x*", ">w? x*"},
		{"echo a > ~/x", ">w? ~/x"},
		{"echo a > x 2> y", ">w x, >w y"},
		{"echo a > /dev/null 2>&1", ""},
		{"echo a 2>&-", ""},
		{"echo a >&2", ""},
		{"echo a > /dev/stderr < /dev/stdin", ""},
		{"echo a > /dev/fd/3", ""},
		{"echo a > /dev/sda", ">w /dev/sda"},
		{"cat <<E\na\nE", ""},
		{"cat <<< a", ""},
		{"{ echo a; } > x", ">w x"},
		{"for f in a; do echo b; done > x", ">w x"},
		{"(echo a) > x", ">w x"},
		{"if echo a; then echo b; fi > x", ">w x"}, // the first stage has it
		{"true > x", ">w x"},

		{"cat a b", "r a, r b"},
		{"cat -n -- -a", "r -a"},
		{"cat -", ""},
		{"cat $x \"$y\" *.o", `r? $x, r? "$y", r? *.o`},
		{"head -n 5 a", "r a"},
		{"tail -5 a", "r a"},
		{"less a", "r a"},
		{"grep -rn x a", "r a"},
		{"grep -e x a", "r a"},
		{"grep -f p a", "r p, r a"},
		{"grep -A 3 x a", "r a"},
		{"sed s/a/b/ f", "r f"},
		{"sed -i s/a/b/ f", "w f"},
		{"sed -i.bak -e s/a/b/ f", "w f"},
		{"sed --in-place s/a/b/ f", "w f"},
		{"awk '{print}' f", "r f"},
		{"cp a b", "r a, w b/a, w b"},
		{"cp a b c/", "r a, w c/a, r b, w c/b, w c/"},
		{"cp -t d a", "w d, r a"},
		{"cp --target-directory=d a", "w d, r a"},
		{"mv a b", "w a, w b/a, w b"},
		{"ln -s a b", "r a, w b/a, w b"},
		{"rm -rf a b", "w a, w b"},
		{"tee -a x", "w x"},
		{"touch -r a b", "r a, w b"},
		{"mkdir -p -m 700 a", "w a"},
		{"chmod +x a", "w a"},
		{"chown -R a:b c", "w c"},
		{"truncate -s 0 a", "w a"},
		{"dd if=a of=b bs=1", "r a, w b"},
		{"install -m 755 a b", "r a, w b/a, w b"},
		{"rsync -av a/ b/", "r a/, w b/a, w b/"},
		{"tar czf a.tgz src", "w a.tgz, r src"},
		{"tar -xzf a.tgz -C d", "r a.tgz, w d"},
		{"sort -o x a", "w x, r a"},
		{"sort --output=x a", "w x, r a"},
		{"sort -k 2 a", "r a"},
		{"git diff --output=x", "w x"},
		{"git diff --output x", "w x"},
		{"git add a b", "r a, r b"},
		{"git -C d --no-pager diff -U 3 a", "r a"},
		{"git show HEAD:a/.env", "r a/.env, r HEAD:a/.env"},
		{"git commit -am 'a b' c", "r c"},
		{"git commit -F x", "r x"},
		{"git rm a", "w a"},
		{"git clone https://example.com/a d", "r https://example.com/a, w d/a, w d"},
		{"git archive -o x HEAD", "w x"},
		{"git bundle create x HEAD", "w x, w HEAD"},
		{"git status a", ""},
		{"docker cp a c:/b", "r a, w c:/b/a, w c:/b"},
		{"docker ps a", ""},
		{"curl -d @a -F 'b=@c;type=x' -F 'd=<e' file://localhost/f", "r a, r c, r e, r /f"},
		{"curl --data-binary @a --upload-file b h", "r a, r b"},
		{"wget --post-file=a -i b h", "r a, r b"},
		{"openssl enc -in a -out b", "r a, w b"},
		{"sqlite3 a 'select 1'", "w a"},
		{"xxd a b", "r a, w b/a, w b"},
		{"wc --files0-from=a", "r a"},
		{"make -f a b", "r a"},
		{"ssh -i a h", "r a"},
		{"sha512sum a", "r a"},
		{"mktemp -p a", "w a"},
		{"curl -o x https://example.com", "w x"},
		{"curl -sSLo x https://example.com", "w x"},
		{"wget -O x https://example.com", "w x"},
		{"wget -qOx https://example.com", "w x"},
		{"find a b -name '*.c'", "r a, r b"},
		{"bash x.sh", "r x.sh"},
		{"nice cat a", "r a"},
		{"xargs rm a", "w a, w? <input>"},
		{"diff <(a) b", "r b"},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			var got []string
			for _, f := range Stages(tt.command, "bash", cwd)[0].Files {
				mark := string(f.Access[:1])
				if f.Redirected {
					mark = ">" + mark
				}
				if f.Dynamic {
					mark += "?"
				}
				got = append(got, mark+" "+f.Text)
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("got %q, want %q", strings.Join(got, ", "), tt.want)
			}
		})
	}
}

// A builtin that writes a file by a redirection does more than nothing.
func TestRedirectionsWeighOnKnownSafeStages(t *testing.T) {
	for command, want := range map[string]bool{"true > x": false, ": >> x": false, "[ -f a ] > x": false, "{ true; } > x": false,
		"true < x": true, "true 2> /dev/null": true, "[ -f a ] 2>&1": true} {
		if got := only(t, command).KnownSafe; got != want {
			t.Errorf("%q: KnownSafe = %v, want %v", command, got, want)
		}
	}
}
