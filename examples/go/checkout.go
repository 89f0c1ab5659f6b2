// Package shop is the program under test: it stores tokens instead of card numbers.
package shop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Vault is the address and key of the vault.
type Vault struct{ URL, Key string }

// Card is the input of a customer.
type Card struct {
	Number          string `json:"number"`
	ExpirationMonth int    `json:"expiration_month"`
	ExpirationYear  int    `json:"expiration_year"`
}

// Checkout stores a card and returns the id of its token. It retries if the vault is busy.
func Checkout(vault Vault, card Card, order string) (string, error) {
	body, err := json.Marshal(map[string]any{"type": "card", "data": card, "metadata": map[string]string{"order": order}})
	if err != nil {
		return "", err
	}
	for range 3 {
		id, status, err := create(vault, body, order)
		if err == nil && status == http.StatusCreated {
			return id, nil
		}
		if err == nil && status < 500 {
			return "", fmt.Errorf("the card was refused with %d", status)
		}
	}
	return "", errors.New("the vault does not answer")
}

func create(vault Vault, body []byte, order string) (id string, status int, err error) {
	request, err := http.NewRequest(http.MethodPost, vault.URL+"/tokens", bytes.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	request.Header.Set("SVC-API-KEY", vault.Key)
	// However often it is retried, an order is stored only once.
	request.Header.Set("SVC-IDEMPOTENCY-KEY", order)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", 0, err
	}
	defer response.Body.Close()
	var token struct{ ID string }
	err = json.NewDecoder(response.Body).Decode(&token)
	return token.ID, response.StatusCode, err
}
