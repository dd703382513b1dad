package shell

import (
	"slices"
	"strings"
)

// findActions are the actions of find that run something, delete or write. Of them -exec alone is
// looked into: what it runs is a stage of its own.
var findActions = wordSet(`-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from`)

func (w *walker) find(c *command) {
	if rest, inner, ok := findCommands(c.words); ok && len(inner) > 0 && w.embedded == 0 {
		c.stage.Code = append(c.stage.Code, texts(c.words[:min(len(c.words), maxSuffixWords)])) // for rules about -exec
		launchers := append(slices.Clone(c.stage.Launchers), texts(rest))
		for _, words := range inner {
			c.follow = append(c.follow, &command{words: words, stage: Stage{Launchers: launchers}, source: c.source, in: c.in})
		}
		c.words = rest
		return
	}
	for i, o := range c.words[1:] {
		switch {
		case !o.dynamic && findActions()[o.text]:
			c.opaque("has an action of find that runs, deletes or writes")
			if (strings.HasPrefix(o.text, "-exec") || strings.HasPrefix(o.text, "-ok")) && len(c.stage.Code) < maxSuffixes {
				c.stage.Code = append(c.stage.Code, w.suffix(c.words[i+2:])...)
			}
		case o.dynamic && o.mayBeOption():
			c.opaque("has a word that may turn out to be an action of find")
		}
	}
}

// findCommands takes the commands of -exec out of the words of find. ok says that they end where it
// says, and that find does nothing else but look. A path that find puts in begins like the one that it
// starts at, and so never with a dash.
func findCommands(words []word) (rest []word, inner [][]word, ok bool) {
	for i := 0; i < len(words); i++ {
		switch o := words[i]; {
		case i > 0 && o.dynamic && o.mayBeOption():
			return nil, nil, false
		case o.dynamic || !findActions()[o.text]:
			rest = append(rest, o)
			continue
		case o.text != "-exec" || len(inner) == maxSuffixes:
			return nil, nil, false
		}
		var command []word
		ended := false
		for i++; i < len(words) && !ended; i++ {
			o := words[i]
			ended = !o.dynamic && (o.text == ";" || o.text == "+" && len(command) > 1 && command[len(command)-1].text == "{}")
			if lead, _, place := strings.Cut(o.text, "{}"); place && !o.dynamic {
				o = word{text: o.text, dynamic: true, lead: lead, tame: lead == ""}
			}
			if !ended {
				command = append(command, o)
			}
		}
		if i--; !ended || len(command) == 0 {
			return nil, nil, false
		}
		inner = append(inner, command)
	}
	return rest, inner, true
}
