package inspect

import "testing"

func TestContains(t *testing.T) {
	tests := []struct {
		name string
		root string
		file string
		want bool
	}{
		{"itself", "/srv/app", "/srv/app", true},
		{"below", "/srv/app", "/srv/app/a/b", true},
		{"everything is below the root", "/", "/srv", true},
		{"the root contains itself", "/", "/", true},
		{"above", "/srv/app", "/srv", false},
		{"beside, with a common beginning", "/srv/app", "/srv/app2", false},
		{"beside, with a longer name", "/srv/app", "/srv/app-old/x", false},
		{"a root with a slash at the end is not clean", "/srv/app/", "/srv/app/x", false},
		{"a way out is not clean", "/srv/app", "/srv/app/../x", false},
		{"a relative file", "/srv/app", "srv/app/x", false},
		{"a relative root", "srv", "srv/app", false},
		{"nothing", "", "/srv", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Contains(tt.root, tt.file); got != tt.want {
				t.Errorf("Contains(%q, %q) = %v, want %v", tt.root, tt.file, got, tt.want)
			}
		})
	}
}
