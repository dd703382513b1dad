package inspect

import (
	"strings"
	"testing"
)

func TestDir(t *testing.T) {
	tests := []struct {
		name string
		path string
		base string
		want string
		err  string // part of the error, "" for success
	}{
		{"an absolute directory", "/srv/app", "", "/srv/app", ""},
		{"a relative directory", "src", "/srv/app", "/srv/app/src", ""},
		{"the base itself", ".", "/srv/app", "/srv/app", ""},
		{"above the base", "..", "/srv/app", "/srv", ""},
		{"through a link", "up/..", "/srv/app", "/outside", ""},
		{"a link to a directory", "current", "/srv/app", "/srv/app/v2", ""},
		{"the root", "/", "", "/", ""},
		{"relative without base", "src", "", "", "no working directory"},
		{"empty", "", "/srv/app", "", "is empty"},
		{"a file", "notes.md", "/srv/app", "", `"notes.md" is not a directory`},
		{"a link to a file", "out.md", "/srv/app", "", `"out.md" is not a directory`},
		{"missing", "gone", "/srv/app", "", `"gone" does not exist`},
		{"a dangling link", "dangling", "/srv/app", "", `"dangling" does not exist`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := New(tree()).Dir(tt.path, tt.base)
			checkPath(t, got, err, tt.want, tt.err)
		})
	}
}

func TestWorkspaceRoot(t *testing.T) {
	fsys := tree()
	fsys["home/ann/project/src"] = dir()
	fsys["home/ann/link"] = link("project")
	fsys["home/ann/homelink"] = link("/home/ann")
	fsys["users"] = link("home")
	fsys["var/lib/approvald"] = dir()
	fsys["run/approvald"] = link("../var/lib/approvald")
	forbidden := Forbidden{
		Homes: []string{"/users/ann", "/root"},
		Own:   []string{"/run/approvald", "/home/ann/.config/approvald"},
	}
	tests := []struct {
		name string
		path string
		want string
		err  string // part of the error, "" for success
	}{
		{"a directory below a home", "/home/ann/project", "/home/ann/project", ""},
		{"is canonicalised", "/users/ann/./link/src/..", "/home/ann/project", ""},
		{"beside a directory of approvald's own", "/home/ann/.config/../project", "/home/ann/project", ""},
		{"a file", "/srv/app/notes.md", "", "is not a directory"},
		{"missing", "/srv/gone", "", "does not exist"},
		{"relative", "srv/app", "", "absolute"},
		{"empty", "", "", "is empty"},
		{"the root", "/", "", "whole file system"},
		{"a link to the root", "/srv/app/toroot", "", "whole file system"},
		{"a home directory", "/home/ann", "", "home directory"},
		{"a link to a home directory", "/home/ann/homelink", "", "home directory"},
		{"another spelling of a home directory", "/users/ann", "", "home directory"},
		{"above a directory of approvald's own that does not exist yet", "/home", "", "approvald's own"},
		{"above the target of a link of approvald's own", "/var/lib", "", "approvald's own"},
		{"a directory of approvald's own", "/var/lib/approvald", "", "approvald's own"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := New(fsys).WorkspaceRoot(tt.path, forbidden)
			checkPath(t, got, err, tt.want, tt.err)
		})
	}
}

func TestWorkspaceRootRefusesWhatItCannotCompare(t *testing.T) {
	for name, forbidden := range map[string]Forbidden{
		"home": {Homes: []string{"/srv/app/self"}},
		"own":  {Own: []string{"relative"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := New(tree()).WorkspaceRoot("/srv/app", forbidden)
			checkPath(t, got, err, "", "cannot be compared")
		})
	}
}

func checkPath(t *testing.T, got string, err error, want, wantErr string) {
	t.Helper()
	switch {
	case got != want:
		t.Errorf("got %q, %v, want %q", got, err, want)
	case wantErr == "" && err != nil:
		t.Errorf("got the error %v, want none", err)
	case wantErr != "" && (err == nil || !strings.Contains(err.Error(), wantErr)):
		t.Errorf("got the error %v, want one with %q", err, wantErr)
	}
}
