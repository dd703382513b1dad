package shell

import "strings"

// printf can assign to a variable: by -v, with a subscript that is evaluated, and by %n. In shells other
// than bash a conversion to a number evaluates its operand, which can assign and run commands, too.
func (w *walker) printf(c *command) {
	operands := c.words[1:]
	if len(operands) > 0 && operands[0].mayBeOption() {
		switch first := operands[0]; {
		case first.dynamic:
			c.opaque("printf may turn out to have options")
			return
		case first.text != "--":
			c.standing("printf -v sets a variable")
			return
		}
		operands = operands[1:]
	}
	if len(operands) < 2 {
		return // nothing to assign to, nor to evaluate
	}
	format, operands := operands[0], operands[1:]
	counts, evaluates := conversions(format)
	for _, o := range operands {
		switch {
		case counts && (o.dynamic && !format.dynamic || !o.dynamic && standing(o.text)):
			c.standing("printf %n sets a variable")
			return
		case counts && !o.dynamic && isName(o.text):
			w.untame(o.text)
		}
		if evaluates && !w.comparesNumbers() && (o.dynamic || strings.Trim(o.text, "0123456789.-") != "") {
			c.standing("printf evaluates what it prints as a number")
			return
		}
	}
}

// conversions says what a format does with its operands beyond printing them as text: counts, that it
// may store a number in one; evaluates, that it may read one as a number.
func conversions(format word) (counts, evaluates bool) {
	if format.dynamic {
		return true, true
	}
	rest := format.text
	for {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			return counts, evaluates
		}
		after = strings.TrimLeft(after, "-+ #0'123456789.$hlLjzt*")
		switch {
		case after == "":
			return counts, evaluates
		case strings.Contains(rest[:len(rest)-len(after)], "*"), strings.IndexByte("sbcq%", after[0]) < 0:
			evaluates = true
		}
		counts = counts || after[0] == 'n'
		rest = after[1:]
	}
}
