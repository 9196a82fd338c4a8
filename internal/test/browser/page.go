package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// A Page is a tab, with a list of what went on in it.
type Page struct {
	b               *Browser
	session, target string

	mu       sync.Mutex
	requests []string
	faults   []string
	loaded   chan struct{}
}

// Open opens a page in a tab of its own, of a size in pixels, and waits until all of it
// is there.
func (b *Browser) Open(url string, width, height int) (*Page, error) {
	var target struct{ TargetID string }
	if err := b.Call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return nil, err
	}
	var session struct{ SessionID string }
	if err := b.Call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session); err != nil {
		return nil, err
	}
	p := &Page{b: b, session: session.SessionID, target: target.TargetID, loaded: make(chan struct{})}
	b.mu.Lock()
	b.pages[p.session] = p
	b.mu.Unlock()
	if err := p.Size(width, height); err != nil {
		return nil, err
	}
	for _, method := range []string{"Page.enable", "Network.enable", "Runtime.enable", "Log.enable"} {
		if err := p.Call(method, nil, nil); err != nil {
			return nil, err
		}
	}
	var went struct{ ErrorText string }
	if err := p.Call("Page.navigate", map[string]any{"url": url}, &went); err != nil {
		return nil, err
	}
	if went.ErrorText != "" {
		return nil, fmt.Errorf("%s: %s", url, went.ErrorText)
	}
	select {
	case <-p.loaded:
		return p, nil
	case <-b.done:
		return nil, b.err
	}
}

// Close closes the tab.
func (p *Page) Close() error {
	return p.b.Call("", "Target.closeTarget", map[string]any{"targetId": p.target}, nil)
}

// Call calls a method of the protocol in the page.
func (p *Page) Call(method string, params, result any) error {
	return p.b.Call(p.session, method, params, result)
}

// Size sets the size of the window, in pixels.
func (p *Page) Size(width, height int) error {
	return p.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// event takes note of what a test may ask for.
func (p *Page) event(method string, params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch method {
	case "Page.loadEventFired":
		select {
		case <-p.loaded:
		default:
			close(p.loaded)
		}
	case "Network.requestWillBeSent":
		var e struct{ Request struct{ URL string } }
		if json.Unmarshal(params, &e) == nil {
			p.requests = append(p.requests, e.Request.URL)
		}
	case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening":
		p.faults = append(p.faults, method+": "+string(params))
	}
}

// Requests are the addresses that the page has asked for, itself first.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Faults are exceptions, messages in the console and dialogs.
func (p *Page) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.faults)
}

// Eval evaluates JavaScript, and reads its value from JSON.
func (p *Page) Eval(code string, value any) error {
	var r struct {
		Result    struct{ Value json.RawMessage }
		Exception *struct {
			Text      string
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
	}
	if err := p.Call("Runtime.evaluate", map[string]any{"expression": code, "returnByValue": true, "awaitPromise": true}, &r); err != nil {
		return err
	}
	if r.Exception != nil {
		return fmt.Errorf("%s: %s %s", code, r.Exception.Text, r.Exception.Exception.Description)
	}
	if value == nil {
		return nil
	}
	if r.Result.Value == nil {
		return fmt.Errorf("%s: no value", code)
	}
	return json.Unmarshal(r.Result.Value, value)
}

// Type types text, character by character, into what has the focus.
func (p *Page) Type(text string) error {
	for _, c := range text {
		for _, kind := range []string{"keyDown", "keyUp"} {
			key := map[string]any{"type": kind, "key": string(c)}
			if kind == "keyDown" {
				key["text"] = string(c)
			}
			if err := p.Call("Input.dispatchKeyEvent", key, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

var keyCodes = map[string]int{"Tab": 9, "Enter": 13, " ": 32, "Escape": 27, "ArrowDown": 40}

// Press presses and releases a key, as Tab or Enter.
func (p *Page) Press(key string) error {
	for _, kind := range []string{"rawKeyDown", "char", "keyUp"} {
		e := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": keyCodes[key]}
		if key == "Enter" {
			e["text"] = "\r"
		} else if key == " " {
			e["text"], e["code"] = " ", "Space"
		} else if kind == "char" {
			continue
		}
		if err := p.Call("Input.dispatchKeyEvent", e, nil); err != nil {
			return err
		}
	}
	return nil
}

// Media sets features of the medium, as prefers-color-scheme.
func (p *Page) Media(medium string, features map[string]string) error {
	list := []map[string]string{}
	for name, value := range features {
		list = append(list, map[string]string{"name": name, "value": value})
	}
	return p.Call("Emulation.setEmulatedMedia", map[string]any{"media": medium, "features": list}, nil)
}

// Screenshot returns the window as a PNG.
func (p *Page) Screenshot() ([]byte, error) {
	var shot struct{ Data []byte }
	err := p.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	return shot.Data, err
}

// A Node is an element as assistive technology sees it.
type Node struct {
	Role, Name, Description string
	Properties              map[string]any
}

// Accessible returns the elements of the page, but for those that are ignored.
func (p *Page) Accessible() ([]Node, error) {
	type text struct{ Value any }
	var tree struct {
		Nodes []struct {
			Ignored                 bool
			Role, Name, Description text
			Properties              []struct {
				Name  string
				Value text
			}
		}
	}
	if err := p.Call("Accessibility.getFullAXTree", nil, &tree); err != nil {
		return nil, err
	}
	var all []Node
	for _, n := range tree.Nodes {
		if n.Ignored {
			continue
		}
		node := Node{Properties: map[string]any{}}
		node.Role, _ = n.Role.Value.(string)
		node.Name, _ = n.Name.Value.(string)
		node.Description, _ = n.Description.Value.(string)
		for _, property := range n.Properties {
			node.Properties[property.Name] = property.Value.Value
		}
		all = append(all, node)
	}
	return all, nil
}
