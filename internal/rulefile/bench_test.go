package rulefile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/approvald/approvald/internal/rulefile"
)

// What reading costs, beside a bare decoding of the same text (the yardstick).
func BenchmarkParse(b *testing.B) {
	for _, rules := range []int{100, 10_000} {
		var text strings.Builder
		for n := range rules {
			fmt.Fprintf(&text, "[[rule]]\neffect = \"allow\"\nkind = \"shell\"\nargv_prefix = [\"p%d\", \"x\"]\n", n)
		}
		b.Run(fmt.Sprintf("rules=%d/v=rulefile", rules), func(b *testing.B) {
			for b.Loop() {
				if _, err := rulefile.Parse("policy.toml", rulefile.User, []byte(text.String())); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("rules=%d/v=toml", rules), func(b *testing.B) {
			for b.Loop() {
				var into plainFile
				if err := toml.Unmarshal([]byte(text.String()), &into); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
