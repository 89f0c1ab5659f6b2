// Package coffertest starts an in-memory vault for the tests of a Go project. Copy this file; it needs nothing else.
//
// The program is coffer on PATH, or the command line in COFFER_COMMAND, such as "npx --no-install coffer". Go runs the
// tests of each package in a process of its own, so each package has its own vault.
package coffertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Coffer is a running vault.
type Coffer struct {
	URL      string `json:"url"`
	TenantID string `json:"tenant_id"`
	Keys     struct {
		Management string `json:"management"`
		Private    string `json:"private"`
		Public     string `json:"public"`
	} `json:"keys"`

	process *exec.Cmd
	input   io.Closer
}

// Fault says which calls fail, how often, and how: it needs DelayMs, Status or Cut.
type Fault struct {
	Name       string   `json:"name"`
	Operations []string `json:"operations,omitempty"`
	DelayMs    int      `json:"delay_ms,omitempty"`
	Status     int      `json:"status,omitempty"`
	RetryAfter int      `json:"retry_after,omitempty"`
	Cut        bool     `json:"cut,omitempty"`
	When       string   `json:"when,omitempty"`
	Share      float64  `json:"share,omitempty"`
	Count      int      `json:"count,omitempty"`
}

// Start starts a vault, with options of coffer serve such as "--seed", "coffer.seed.yaml". An error says what is wrong
// with them. Close stops the vault.
func Start(options ...string) (*Coffer, error) {
	line := os.Getenv("COFFER_COMMAND")
	if line == "" {
		line = "coffer"
	}
	command := strings.Fields(line)
	command = append(command, "serve", "--ephemeral", "--port", "0", "--json", "--until-input-ends")
	process := exec.Command(command[0], append(command[1:], options...)...)
	process.Stderr = os.Stderr
	// Coffer stops when its standard input ends, even if this process is killed.
	input, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("%w; name the program in COFFER_COMMAND", err)
	}
	coffer := &Coffer{process: process, input: input}
	told := struct {
		*Coffer
		Error *struct{ Message string }
	}{Coffer: coffer}
	if err := json.NewDecoder(bufio.NewReader(output)).Decode(&told); err != nil {
		return nil, errors.Join(errors.New("coffer ended before it was ready"), coffer.Close())
	}
	if told.Error != nil {
		_ = coffer.Close()
		return nil, errors.New(told.Error.Message)
	}
	return coffer, nil
}

// Close stops the vault.
func (coffer *Coffer) Close() error {
	_ = coffer.input.Close()
	return coffer.process.Wait()
}

// Reset restores the initial state: tokens, applications, log, clock, faults.
func (coffer *Coffer) Reset(t testing.TB) {
	t.Helper()
	coffer.ask(t, http.MethodPost, "reset", nil, nil)
}

// Now returns the time of the vault's clock.
func (coffer *Coffer) Now(t testing.TB) time.Time {
	t.Helper()
	var clock struct{ Now time.Time }
	coffer.ask(t, http.MethodGet, "clock", nil, &clock)
	return clock.Now
}

// Advance moves the clock forward. Data that expires by then is deleted.
func (coffer *Coffer) Advance(t testing.TB, by time.Duration) {
	t.Helper()
	coffer.ask(t, http.MethodPost, "clock", map[string]float64{"advance": by.Seconds()}, nil)
}

// SetNow sets the clock.
func (coffer *Coffer) SetNow(t testing.TB, moment time.Time) {
	t.Helper()
	coffer.ask(t, http.MethodPost, "clock", map[string]time.Time{"now": moment}, nil)
}

// Fault adds a fault until the next reset, or until the function it returns is called.
func (coffer *Coffer) Fault(t testing.TB, fault Fault) (end func()) {
	t.Helper()
	coffer.ask(t, http.MethodPost, "faults", fault, nil)
	return func() {
		t.Helper()
		coffer.ask(t, http.MethodDelete, "faults/"+url.PathEscape(fault.Name), nil, nil)
	}
}

// Snapshot saves the current state under a name; the function it returns restores it.
func (coffer *Coffer) Snapshot(t testing.TB, name string) (restore func()) {
	t.Helper()
	path := "snapshots/" + url.PathEscape(name)
	coffer.ask(t, http.MethodPut, path, nil, nil)
	return func() {
		t.Helper()
		coffer.ask(t, http.MethodPost, path+"/restore", nil, nil)
	}
}

func (coffer *Coffer) ask(t testing.TB, method, path string, body, answer any) {
	t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, coffer.URL+"/_coffer/"+path, sent)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("SVC-API-KEY", coffer.Keys.Management)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		t.Fatalf("%s /_coffer/%s: %s", method, path, text)
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			t.Fatal(err)
		}
	}
}
