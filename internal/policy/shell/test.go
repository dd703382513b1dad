package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Operators of test and [.
var (
	unaryTests   = wordSet(`-a -b -c -d -e -f -g -G -h -k -L -n -N -o -O -p -r -s -S -t -u -w -x -z`)
	binaryTests  = wordSet(`= == != < > -nt -ot -ef`)
	numericTests = wordSet(`-eq -ne -lt -le -gt -ge`)
)

// test weighs test and [, which are known safe as long as no operand can become an operator that
// evaluates a subscript (policy.md "Shell": knownSafe).
func (w *walker) test(c *command) {
	operands := c.words[1:]
	if c.words[0].text == "[" {
		if len(operands) == 0 || operands[len(operands)-1].text != "]" {
			return
		}
		operands = operands[:len(operands)-1]
	}
	dynamic := false
	for _, o := range operands {
		dynamic = dynamic || o.dynamic
		if o.multi || !o.dynamic && strings.Contains(o.text, "[") {
			c.opaque("a test of a subscript can run code")
			return
		}
	}
	switch safe, known := w.testOperands(operands); {
	case safe:
		c.stage.KnownSafe = true
	case dynamic || !known && slices.ContainsFunc(operands, func(o word) bool { return o.dynamic }):
		c.opaque("a test of what only the shell knows can run code")
	case !w.comparesNumbers():
		c.standing("a test of numbers evaluates them")
	}
}

// testOperands reports whether the operands only test; known is false where an operator is not.
func (w *walker) testOperands(operands []word) (safe, known bool) {
	if len(operands) > 0 && operands[0].text == "!" && !operands[0].dynamic {
		operands = operands[1:]
	}
	static := func(i int) string {
		if operands[i].dynamic {
			return ""
		}
		return operands[i].text
	}
	switch len(operands) {
	case 0, 1:
		return true, true
	case 2:
		return unaryTests()[static(0)] && w.testsNumber(static(0), operands[1]), unaryTests()[static(0)]
	case 3:
		op := static(1)
		if numericTests()[op] {
			return w.comparesNumbers() || isNumber(operands[0]) && isNumber(operands[2]), true
		}
		return binaryTests()[op] || op == "-a" || op == "-o", true
	}
	return w.testTerms(operands), false
}

// testsNumber reports whether an operator of one operand evaluates none: -t takes a number.
func (w *walker) testsNumber(op string, operand word) bool {
	return op != "-t" || w.comparesNumbers() || isNumber(operand)
}

// testTerms reports whether operands are terms joined by -a and -o, each with an operator that is
// spelled out: then no value can shift the others into the place of one.
func (w *walker) testTerms(operands []word) bool {
	for len(operands) > 0 {
		n := 0
		for n < len(operands) && operands[n].text == "!" {
			n++
		}
		switch {
		case len(operands) >= n+3 && !operands[n+1].dynamic &&
			(binaryTests()[operands[n+1].text] || numericTests()[operands[n+1].text] && w.comparesNumbers()):
			n += 3
		case len(operands) >= n+2 && !operands[n].dynamic && unaryTests()[operands[n].text] && w.testsNumber(operands[n].text, operands[n+1]):
			n += 2
		default:
			return false
		}
		if n == len(operands) {
			return true
		}
		if op := operands[n]; op.dynamic || op.text != "-a" && op.text != "-o" {
			return false
		}
		operands = operands[n+1:]
	}
	return false
}

func isNumber(w word) bool {
	return !w.dynamic && w.text != "" && strings.Trim(w.text, "0123456789") == ""
}

// testClause makes the stage of [[ ]], whose operators no value can become.
func (w *walker) testClause(st *syntax.Stmt, clause *syntax.TestClause, in places) {
	t := tester{walker: w, words: []word{{text: "[["}}, safe: true}
	t.expr(clause.X)
	c := w.begin(st, append(t.words, word{text: "]]"}), in)
	c.stage.Builtin, c.stage.KnownSafe = true, t.safe
	if !t.safe {
		c.opaque("a test of a subscript can run code")
	}
	w.emit(c)
	w.substitutions(clause, in)
	w.redirectSubstitutions(st, in)
}

// tester flattens the expression of a test clause and weighs it.
type tester struct {
	*walker
	words []word
	safe  bool
}

func (t *tester) expr(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		t.operand(x, false)
	case *syntax.UnaryTest:
		t.words = append(t.words, word{text: x.Op.String()})
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			t.safe = false // evaluates the subscript of a name
		}
		t.expr(x.X)
	case *syntax.BinaryTest:
		t.expr(x.X)
		t.words = append(t.words, word{text: x.Op.String()})
		switch x.Op {
		case syntax.AndTest, syntax.OrTest:
			t.expr(x.Y)
			return
		case syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch, syntax.TsReMatch:
			if y, ok := x.Y.(*syntax.Word); ok {
				t.operand(y, true)
				return
			}
		case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno, syntax.TsBefore, syntax.TsAfter:
		default: // numbers: arithmetic, which evaluates the values of names
			left, _ := x.X.(*syntax.Word)
			right, _ := x.Y.(*syntax.Word)
			t.safe = t.safe && left != nil && right != nil && t.isArithmetic(left) && t.isArithmetic(right)
		}
		t.expr(x.Y)
	default:
		t.safe = false
	}
}

// operand weighs a word: only the pattern of a match may have brackets.
func (t *tester) operand(x *syntax.Word, pattern bool) {
	w := t.word(x)
	t.words = append(t.words, w)
	if !pattern && strings.Contains(w.text, "[") && !strings.Contains(w.text, "[@]") && !strings.Contains(w.text, "[*]") {
		t.safe = false
	}
}

// isArithmetic reports whether a word is a number for certain.
func (t *tester) isArithmetic(x *syntax.Word) bool {
	w := t.word(x)
	return isNumber(w) || w.dynamic && (w.text == "$#" || w.text == "$?" || w.text == `"$#"` || w.text == `"$?"`)
}

// arithmetic makes an opaque stage of an expression over names: the shell evaluates what their values
// say, and a subscript in one can run commands. Over digits it is nothing.
func (w *walker) arithmetic(node syntax.Node, x syntax.ArithmExpr, in places) {
	digits, lasting := true, false
	if x != nil {
		syntax.Walk(x, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Lit:
				digits = digits && strings.Trim(n.Value, "0123456789") == ""
				lasting = lasting || standing(n.Value) // it may be assigned to
			case *syntax.ParamExp:
				digits = false
			}
			return true
		})
	}
	if digits {
		return
	}
	c := &command{source: w.source(node), in: in}
	c.opaque("evaluates arithmetic over names, whose values can run commands")
	if lasting {
		c.standing(c.why)
	}
	w.emit(c)
}
