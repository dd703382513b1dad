package canon

import "testing"

func TestMaskLoneSurrogates(t *testing.T) {
	const unchanged = ""
	tests := []struct{ name, in, want string }{
		{"a lone high one", `"\ud800"`, `"\ue000"`},
		{"a lone low one", `"\udfff"`, `"\ue7ff"`},
		{"in upper case", `"\uDBFF"`, `"\ue3ff"`},
		{"a low one before a high one", `"\udc00\ud800"`, `"\ue400\ue000"`},
		{"two high ones before a low one", `"\ud800\ud83d\ude00"`, `"\ue000\ud83d\ude00"`},
		{"a high one before another escape", `"\ud800\n"`, `"\ue000\n"`},
		{"a high one before half an escape", `"\ud800\ude"`, `"\ue000\ude"`},
		{"at the end of the text", `"\ud800`, `"\ue000`},
		{"several", `{"\ud800":"\ud801"}`, `{"\ue000":"\ue001"}`},
		{"a pair stays", `"\ud83d\ude00"`, unchanged},
		{"an escaped backslash before the letters stays", `"\\ud800"`, unchanged},
		{"another escape stays", `"\ue000\u0041"`, unchanged},
		{"what is no hexadecimal stays", `"\ud8+0\ud8_0"`, unchanged},
		{"an escape that is cut off stays", `"\ud80`, unchanged},
		{"a backslash at the end stays", `"\`, unchanged},
		{"no escape", `"d800"`, unchanged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			got, found := MaskLoneSurrogates(in)
			if found != (tt.want != unchanged) {
				t.Errorf("found = %t", found)
			}
			want := tt.want
			if want == unchanged {
				want = tt.in
			}
			if string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if string(in) != tt.in {
				t.Errorf("the text was changed to %s", in)
			}
		})
	}
}
