package main

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
)

var (
	env    = map[string]string{}
	orders sync.Map
	token  = regexp.MustCompile(`^[\w-]+$`)
)

func main() {
	file, err := os.ReadFile(".env")
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range strings.Split(string(file), "\n") {
		if name, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			env[name] = value
		}
	}
	http.HandleFunc("GET /{$}", showPage)
	http.HandleFunc("POST /pay", pay)
	http.HandleFunc("POST /webhook", receiveEvent)
	http.HandleFunc("GET /orders/{order}", func(w http.ResponseWriter, r *http.Request) {
		state, found := orders.Load(r.PathValue("order"))
		if !found {
			state = "unknown"
		}
		fmt.Fprint(w, state)
	})
	fmt.Println("http://localhost:" + env["PORT"])
	log.Fatal(http.ListenAndServe("localhost:"+env["PORT"], nil))
}

func showPage(w http.ResponseWriter, r *http.Request) {
	page, err := os.ReadFile("page.html")
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	values := strings.NewReplacer("COFFER_BASE_URL", env["COFFER_BASE_URL"], "COFFER_PUBLIC_KEY", env["COFFER_PUBLIC_KEY"])
	fmt.Fprint(w, values.Replace(string(page)))
}

// The proxy inserts the card into the request, so this server never has its number.
func pay(w http.ResponseWriter, r *http.Request) {
	id, _ := io.ReadAll(r.Body)
	if !token.Match(id) {
		http.Error(w, "This is no token.", 400)
		return
	}
	order := rand.Text()
	orders.Store(order, "open")
	card := fmt.Sprintf("{{ %s | json: '$.number' }}", id)
	body, _ := json.Marshal(map[string]any{"amount": 1999, "currency": "EUR", "card": card})
	request, _ := http.NewRequest("POST", env["COFFER_BASE_URL"]+"/proxy", bytes.NewReader(body))
	request.Header.Set("SVC-API-KEY", env["COFFER_API_KEY"])
	request.Header.Set("SVC-PROXY-KEY", env["COFFER_PROXY_KEY"])
	request.Header.Set("SVC-TRACE-ID", order)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		http.Error(w, err.Error(), 502)
		return
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		orders.Store(order, "failed")
		w.WriteHeader(502)
		io.Copy(w, response.Body)
		return
	}
	fmt.Fprint(w, order)
}

// Events arrive signed. Only one that the vault has signed marks an order as paid.
func receiveEvent(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !isFromCoffer(body, r.Header.Get("BT-SIGNATURE")) {
		http.Error(w, "The signature is wrong.", 400)
		return
	}
	var received struct {
		Event struct {
			TraceID string `json:"trace_id"`
			Data    struct {
				Destination struct {
					Response struct{ Status int }
				}
			}
		}
	}
	if json.Unmarshal(body, &received) != nil {
		return
	}
	state := "failed"
	if received.Event.Data.Destination.Response.Status == 200 {
		state = "paid"
	}
	if _, found := orders.Load(received.Event.TraceID); found {
		orders.Store(received.Event.TraceID, state)
	}
}

func isFromCoffer(body []byte, signature string) bool {
	response, err := http.Get(env["COFFER_BASE_URL"] + "/.well-known/webhooks.v1.key")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	page, _ := io.ReadAll(response.Body)
	block, _ := pem.Decode(page)
	if block == nil {
		return false
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return false
	}
	signed, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return false
	}
	hash := sha256.Sum256(body)
	return rsa.VerifyPSS(key.(*rsa.PublicKey), crypto.SHA256, hash[:], signed, nil) == nil
}
