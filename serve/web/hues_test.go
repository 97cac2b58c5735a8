package web

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// light is a colour by how much red, green and blue light it has, from 0 to 1.
type light [3]float64

// oklch is a colour as the style sheet names it (https://www.w3.org/TR/css-color-4/#ok-lab).
func oklch(lightness, chroma, hue float64) light {
	a, b := chroma*math.Cos(hue*math.Pi/180), chroma*math.Sin(hue*math.Pi/180)
	cube := func(a1, b1 float64) float64 { x := lightness + a1*a + b1*b; return x * x * x }
	l, m, s := cube(0.3963377774, 0.2158037573), cube(-0.1055613458, -0.0638541728), cube(-0.0894841775, -1.2914855480)
	return light{4.0767416621*l - 3.3077115913*m + 0.2309699292*s, -1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s}.shown()
}

// hexed is a colour of six digits, or of three.
func hexed(t *testing.T, digits string) (out light) {
	t.Helper()
	if len(digits) == 3 {
		digits = digits[:1] + digits[:1] + digits[1:2] + digits[1:2] + digits[2:] + digits[2:]
	}
	for i := range out {
		n, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = math.Pow((float64(n)/255+0.055)/1.055, 2.4)
	}
	return out
}

// shown is the colour as far as a screen can show it.
func (l light) shown() light {
	for i := range l {
		l[i] = min(max(l[i], 0), 1)
	}
	return l
}

// contrast is how much two colours differ (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
func contrast(a, b light) float64 {
	bright := func(l light) float64 { return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] + 0.05 }
	return max(bright(a)/bright(b), bright(b)/bright(a))
}

// weaknesses are how eyes without one kind of receptor see light (Machado, Oliveira and Fernandes, 2009, severity 1).
var weaknesses = map[string][3]light{
	"none":  {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"red":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"green": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"blue":  {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func seen(l light, how [3]light) (out light) {
	for i, row := range how {
		out[i] = row[0]*l[0] + row[1]*l[1] + row[2]*l[2]
	}
	return out.shown()
}

// The id of a conversation can be read in each of the twelve colours, on what it stands on, in light and in dark, whatever
// colours one can tell apart. Conversations are told apart by the id: no two of twelve colours differ for everybody.
func TestTheColoursOfConversationsCanBeRead(t *testing.T) {
	t.Parallel()
	css := string(ready()["page.css"].plain)
	number := func(text string) float64 {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	lit := regexp.MustCompile(`--lit: ?([0-9.]+)%`).FindAllStringSubmatch(css, -1)
	tint := regexp.MustCompile(`--tint: ?([0-9.]+)%`).FindAllStringSubmatch(css, -1)
	grounds := regexp.MustCompile(`--ground: ?#([0-9a-f]+); ?--paper: ?#([0-9a-f]+); ?--sunk: ?#([0-9a-f]+)`).FindAllStringSubmatch(css, -1)
	hues := regexp.MustCompile(`\.h\d+\{--h:(\d+)\}`).FindAllStringSubmatch(css, -1)
	if len(lit) != 2 || len(tint) != 2 || len(grounds) != 2 || len(hues) != 12 {
		t.Fatalf("%v %v %v %v", lit, tint, grounds, hues)
	}
	const least = 4.5
	for i, scheme := range []string{"light", "dark"} {
		for _, h := range hues {
			text, chip := oklch(number(lit[i][1])/100, .14, number(h[1])), oklch(number(tint[i][1])/100, .03, number(h[1]))
			for name, how := range weaknesses {
				for on, ground := range map[string]light{"the chip": chip, "the ground": hexed(t, grounds[i][1]), "paper": hexed(t, grounds[i][2]), "what is sunk": hexed(t, grounds[i][3])} {
					if got := contrast(seen(text, how), seen(ground, how)); got < least {
						t.Errorf("hue %s in %s on %s, weak in %s: contrast %.2f", h[1], scheme, on, name, got)
					}
				}
			}
		}
	}
}
