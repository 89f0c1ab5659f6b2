package shop

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"shop.example/coffertest"
)

var coffer *coffertest.Coffer

func TestMain(m *testing.M) {
	var err error
	coffer, err = coffertest.Start("--seed", "../coffer.seed.yaml")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := coffer.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var card = Card{Number: "4242424242424242", ExpirationMonth: 12, ExpirationYear: 2035}

func vault() Vault { return Vault{URL: coffer.URL, Key: coffer.Keys.Private} }

func statusOf(t *testing.T, token string) int {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, coffer.URL+"/tokens/"+token, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("SVC-API-KEY", coffer.Keys.Private)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

func expect(t *testing.T, token string, status int) {
	t.Helper()
	if is := statusOf(t, token); is != status {
		t.Errorf("GET /tokens/%s: %d, not %d", token, is, status)
	}
}

func TestACardBecomesAToken(t *testing.T) {
	coffer.Reset(t)
	token, err := Checkout(vault(), card, "order-1")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, token, http.StatusOK)
}

func TestABusyVaultIsRetried(t *testing.T) {
	coffer.Reset(t)
	coffer.Fault(t, coffertest.Fault{Name: "busy", Operations: []string{"tokens.create"}, Status: 503, Count: 2})
	if _, err := Checkout(vault(), card, "order-2"); err != nil {
		t.Error(err)
	}
}

func TestAVaultThatIsDownIsAnError(t *testing.T) {
	coffer.Reset(t)
	end := coffer.Fault(t, coffertest.Fault{Name: "down", Operations: []string{"tokens.create"}, Status: 503})
	if _, err := Checkout(vault(), card, "order-3"); err == nil {
		t.Error("The card was stored.")
	}
	end()
	if _, err := Checkout(vault(), card, "order-3"); err != nil {
		t.Error(err)
	}
}

func TestATokenExpiresWithoutWaiting(t *testing.T) {
	coffer.Reset(t)
	coffer.SetNow(t, time.Date(2039, time.December, 31, 23, 0, 0, 0, time.UTC))
	expect(t, "gift-card", http.StatusOK)
	coffer.Advance(t, 2*time.Hour)
	expect(t, "gift-card", http.StatusNotFound)
	if year := coffer.Now(t).Year(); year != 2040 {
		t.Errorf("The clock says %d.", year)
	}
}

func TestASnapshotRestoresItsState(t *testing.T) {
	coffer.Reset(t)
	restore := coffer.Snapshot(t, "empty")
	token, err := Checkout(vault(), card, "order-4")
	if err != nil {
		t.Fatal(err)
	}
	restore()
	expect(t, token, http.StatusNotFound)
}
