// Gen writes docs/PROTOCOL.md and docs/ERRORS.md from what the daemon itself is built of: the
// method and error tables of package wire, the structs of their params and results with the
// comments in its source, and frames of recorded scenarios. `make docs` runs it.
//
// The prose around the tables is in protocol.md.tmpl and errors.md.tmpl.
package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"

	"github.com/approvald/approvald/internal/comments"
)

//go:generate go run .

// root is the module's root as seen from this directory, in which go generate and go test run.
const root = "../.."

//go:embed *.tmpl
var templates embed.FS

// documents maps each generated file of docs to its template.
var documents = map[string]string{
	protocol:  "protocol.md.tmpl",
	errorFile: "errors.md.tmpl",
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "docs/gen:", err)
		os.Exit(1)
	}
}

func run() error {
	for name := range documents {
		text, err := generate(root, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(root, "docs", name), text, 0o644); err != nil { //nolint:gosec // a document is for everyone
			return err
		}
	}
	return nil
}

// generate makes the document of that name.
func generate(root, name string) ([]byte, error) {
	src, err := comments.Parse(filepath.Join(root, "wire"))
	if err != nil {
		return nil, err
	}
	outline, err := templates.ReadFile(documents[protocol])
	if err != nil {
		return nil, err
	}
	d, frames := newDocument(name, src, string(outline)), recordings{filepath.Join(root, "testdata/scenarios")}
	t, err := template.New(documents[name]).Funcs(template.FuncMap{
		"overview":     d.overview,
		"methods":      d.methods,
		"object":       d.object,
		"others":       d.others,
		"enumerations": d.enumerations,
		"outcomes":     outcomes,
		"errors":       d.errors,
		"reasons":      d.reasons,
		"asked":        frames.asked,
		"answered":     frames.answered,
		"told":         frames.told,
	}).ParseFS(templates, documents[name])
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, nil); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
