package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	url := "https://api.basistheory.com/tokens"
	if len(os.Args) > 1 {
		url = os.Args[1]
	}
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("BT-API-KEY", os.Getenv("BT_API_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	fmt.Println("answered", response.StatusCode)
}
