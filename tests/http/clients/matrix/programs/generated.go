// Tries the client that oapi-codegen generates from the OpenAPI document, the package coffer.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"reflect"
	"slices"
	"time"

	"matrix/coffer"
)

var ctx = context.Background()

const code = "module.exports = function (req) { return { raw: req.args } }"
const hook = "https://hooks.coffer.test/in"

var card = map[string]any{"number": "4242424242424242", "expiration_month": 12.0, "expiration_year": 2030.0, "cvc": "123"}

func header(name, value string) coffer.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set(name, value)
		return nil
	}
}

func client(key string) *coffer.ClientWithResponses {
	made, err := coffer.NewClientWithResponses(os.Getenv("URL"), coffer.WithRequestEditorFn(header("SVC-API-KEY", key)))
	return must(made, err)
}

var management, backend, browser = client(os.Getenv("MANAGEMENT")), client(os.Getenv("BACKEND")), client(os.Getenv("BROWSER"))

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func same(given, wanted any) {
	if !reflect.DeepEqual(given, wanted) {
		panic(fmt.Sprintf("%#v is not %#v", given, wanted))
	}
}

// answered returns the response if it has the status, and otherwise panics with its body.
func answered[T interface{ StatusCode() int }](answer T, err error) func(status int) T {
	must(answer, err)
	return func(status int) T {
		if answer.StatusCode() != status {
			body := reflect.ValueOf(answer).Elem().FieldByName("Body").Bytes()
			panic(fmt.Sprintf("%d is not %d: %s", answer.StatusCode(), status, body))
		}
		return answer
	}
}

func newToken(kind string, data any, metadata map[string]string, editors ...coffer.RequestEditorFn) *coffer.CreatedToken {
	as := coffer.TokensCreateJSONBodyType(kind)
	body := coffer.TokensCreateJSONRequestBody{Type: &as, Data: data}
	if metadata != nil {
		body.Metadata = &metadata
	}
	return answered(backend.TokensCreateWithResponse(ctx, body, editors...))(201).JSON201
}

func newApplication() *coffer.Application {
	permissions := []coffer.Permission{"token:create"}
	body := coffer.ApplicationsCreateJSONRequestBody{Name: "A", Type: "private", Permissions: &permissions}
	return answered(management.ApplicationsCreateWithResponse(ctx, body))(201).JSON201
}

func tokens() {
	made := newToken("card", card, map[string]string{"k": "v"})
	same(answered(backend.TokensGetByIdWithResponse(ctx, made.Id))(200).JSON200.Data, any(card))
	b := "b"
	patch := coffer.TokensUpdateApplicationMergePatchPlusJSONRequestBody{Metadata: &map[string]*string{"a": &b, "k": nil}}
	updated := answered(backend.TokensUpdateWithApplicationMergePatchPlusJSONBodyWithResponse(ctx, made.Id, patch))(200)
	same(*updated.JSON200.Metadata, map[string]string{"a": "b"})
	answered(backend.TokensDeleteWithResponse(ctx, made.Id))(204)
	answered(backend.TokensGetByIdWithResponse(ctx, made.Id))(404)
}

func tokenize() {
	given := map[string]any{"name": "Ada", "card": map[string]any{"type": "card", "data": card}}
	made := (*answered(backend.TokenizeTokenizeWithResponse(ctx, given))(200).JSON200).(map[string]any)
	_ = made["name"].(string)
	same(made["card"].(map[string]any)["type"], "card")
}

func detokenize() {
	made := newToken("token", map[string]any{"a": []any{1, "two"}}, nil)
	given := map[string]any{"all": "{{ " + made.Id + " }}", "one": "{{ " + made.Id + " | json: '$.a[1]' }}"}
	answer := *answered(backend.DetokenizeDetokenizeWithResponse(ctx, given))(200).JSON200
	same(answer, any(map[string]any{"all": map[string]any{"a": []any{1.0, "two"}}, "one": "two"}))
}

func tokenIntents() {
	body := coffer.TokenIntentsCreateJSONRequestBody{Type: "card", Data: card}
	made := answered(browser.TokenIntentsCreateWithResponse(ctx, body))(201).JSON201
	same(made.Card.Last4, "4242")
	same(answered(backend.TokenIntentsGetByIdWithResponse(ctx, made.Id))(200).JSON200.Id, made.Id)
	answered(backend.TokenIntentsDeleteWithResponse(ctx, made.Id))(204)
	answered(backend.TokenIntentsGetByIdWithResponse(ctx, made.Id))(404)
}

func applications() {
	made := newApplication()
	same(answered(management.ApplicationsGetByIdWithResponse(ctx, made.Id))(200).JSON200.Name, "A")
	permissions := []coffer.Permission{"token:read"}
	body := coffer.ApplicationsUpdateJSONRequestBody{Name: "B", Permissions: &permissions}
	same(answered(management.ApplicationsUpdateWithResponse(ctx, made.Id, body))(200).JSON200.Name, "B")
	params := coffer.ApplicationsGetParams{Id: &[]string{made.Id.String()}}
	found := answered(management.ApplicationsGetWithResponse(ctx, &params))(200).JSON200
	same([]any{len(found.Data), found.Data[0].Name}, []any{1, "B"})
	answered(management.ApplicationsDeleteWithResponse(ctx, made.Id))(204)
	answered(management.ApplicationsGetByIdWithResponse(ctx, made.Id))(404)
}

func applicationKeys() {
	application := newApplication()
	made := answered(management.ApplicationKeysCreateWithResponse(ctx, application.Id))(201).JSON201
	listed := answered(management.ApplicationKeysGetWithResponse(ctx, application.Id, nil))(200).JSON200
	page := must(listed.AsApplicationKeysGet200JSONResponseBody0())
	same(len(page.Data), 2)
	same(answered(management.ApplicationKeysGetByIdWithResponse(ctx, application.Id, made.Id))(200).JSON200.Id, made.Id)
	answered(management.ApplicationKeysDeleteWithResponse(ctx, application.Id, made.Id))(204)
	answered(management.ApplicationKeysGetByIdWithResponse(ctx, application.Id, made.Id))(404)
}

func proxies() {
	configuration := map[string]string{"A": "b"}
	body := coffer.ProxiesCreateJSONRequestBody{Name: "pay", DestinationUrl: os.Getenv("ECHO"), Configuration: &configuration}
	made := answered(management.ProxiesCreateWithResponse(ctx, body))(201).JSON201
	same([]any{string(made.State), made.Configuration}, []any{"active", configuration})
	name := "pa*"
	found := answered(management.ProxiesGetWithResponse(ctx, &coffer.ProxiesGetParams{Name: &name}))(200).JSON200
	same(found.Data[0].Id, made.Id)
	update := coffer.ProxiesUpdateJSONRequestBody{Name: "paid", DestinationUrl: body.DestinationUrl}
	same(answered(management.ProxiesUpdateWithResponse(ctx, made.Id, update))(200).JSON200.Name, "paid")
	patched := "patched"
	patch := coffer.ProxiesPatchApplicationMergePatchPlusJSONRequestBody{Name: &patched}
	answered(management.ProxiesPatchWithApplicationMergePatchPlusJSONBodyWithResponse(ctx, made.Id, patch))(204)
	same(answered(management.ProxiesGetByIdWithResponse(ctx, made.Id))(200).JSON200.Name, "patched")
	token := newToken("token", "put in", nil)
	params := coffer.ProxiesInvokeParams{BTPROXYKEY: &made.Key}
	answer := answered(backend.ProxiesInvokeWithResponse(ctx, &params, map[string]string{"value": "{{ " + token.Id + " }}"}))(200)
	same(string(answer.Body), `{"value":"put in"}`)
	answered(management.ProxiesDeleteWithResponse(ctx, made.Id))(204)
	answered(management.ProxiesGetByIdWithResponse(ctx, made.Id))(404)
}

func reactors() {
	body := coffer.ReactorsCreateJSONRequestBody{Name: "echo", Code: code}
	made := answered(management.ReactorsCreateWithResponse(ctx, body))(201).JSON201
	same(string(made.State), "active")
	name := "ec*"
	found := answered(management.ReactorsGetWithResponse(ctx, &coffer.ReactorsGetParams{Name: &name}))(200).JSON200
	same(found.Data[0].Id, made.Id)
	update := coffer.ReactorsUpdateJSONRequestBody{Name: "two", Code: code}
	same(answered(management.ReactorsUpdateWithResponse(ctx, made.Id, update))(200).JSON200.Name, "two")
	three := "three"
	patch := coffer.ReactorsPatchApplicationMergePatchPlusJSONRequestBody{Name: &three}
	answered(management.ReactorsPatchWithApplicationMergePatchPlusJSONBodyWithResponse(ctx, made.Id, patch))(204)
	same(answered(management.ReactorsGetByIdWithResponse(ctx, made.Id))(200).JSON200.Name, "three")
	args := map[string]any{"key1": "value1"}
	now := answered(backend.ReactorsReactWithResponse(ctx, made.Id, coffer.ReactorsReactJSONRequestBody{Args: args}))(200)
	same(now.JSON200.Raw, any(args))
	later := answered(backend.ReactorsReactAsyncWithResponse(ctx, made.Id, coffer.ReactorsReactAsyncJSONRequestBody{Args: args}))(202)
	for {
		result := must(backend.ReactorsResultGetByIdWithResponse(ctx, made.Id, later.JSON202.AsyncReactorRequestId))
		if result.StatusCode() != 404 {
			same(result.JSON200.Raw, any(args))
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	answered(management.ReactorsDeleteWithResponse(ctx, made.Id))(204)
	answered(management.ReactorsGetByIdWithResponse(ctx, made.Id))(404)
}

func webhooks() {
	body := coffer.WebhooksCreateJSONRequestBody{Name: "Hook", Url: hook, Events: []coffer.WebhookEventType{"token.created"}}
	made := answered(management.WebhooksCreateWithResponse(ctx, body))(201).JSON201
	same(string(made.Status), "enabled")
	same(answered(management.WebhooksGetByIdWithResponse(ctx, made.Id))(200).JSON200, made)
	same(len(answered(management.WebhooksGetWithResponse(ctx, nil))(200).JSON200.Data), 1)
	update := coffer.WebhooksUpdateJSONRequestBody{Name: "Two", Url: hook, Events: body.Events}
	same(answered(management.WebhooksUpdateWithResponse(ctx, made.Id, update))(200).JSON200.Name, "Two")
	types := *answered(management.WebhooksListEventTypesWithResponse(ctx))(200).JSON200
	same(slices.Contains(types, "token.created"), true)
	answered(management.WebhooksDeleteWithResponse(ctx, made.Id))(204)
	answered(management.WebhooksGetByIdWithResponse(ctx, made.Id))(404)
}

func documents() {
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	file := must(writer.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="document"; filename="hello.txt"`},
		"Content-Type":        {"text/plain"},
	}))
	must(file.Write([]byte("Hello World")))
	must(0, writer.WriteField("request", `{"metadata":{"a":"b"}}`))
	must(0, writer.Close())
	made := answered(backend.DocumentsCreateWithBodyWithResponse(ctx, writer.FormDataContentType(), &form))(202).JSON202
	got := answered(backend.DocumentsGetByIdWithResponse(ctx, made.Id))(200).JSON200
	same([]any{got.ContentType, got.Metadata}, []any{"text/plain", map[string]string{"a": "b"}})
	same(string(answered(backend.DocumentsRevealWithResponse(ctx, made.Id))(200).Body), "Hello World")
	answered(backend.DocumentsDeleteWithResponse(ctx, made.Id))(204)
	answered(backend.DocumentsGetByIdWithResponse(ctx, made.Id))(404)
}

func clientKeys() {
	until := "2031-01-01T00:00:00Z"
	made := answered(management.ClientKeysCreateWithResponse(ctx, coffer.ClientKeysCreateJSONRequestBody{ExpiresAt: &until}))(201).JSON201
	same(made.PublicKeyPem[:10], "-----BEGIN")
	same((*answered(management.ClientKeysGetWithResponse(ctx))(200).JSON200)[0].KeyId, made.KeyId)
	same(answered(management.ClientKeysGetByIdWithResponse(ctx, made.KeyId))(200).JSON200.KeyId, made.KeyId)
	answered(management.ClientKeysDeleteWithResponse(ctx, made.KeyId))(204)
	answered(management.ClientKeysGetByIdWithResponse(ctx, made.KeyId))(404)
}

func membersAndInvitations() {
	owner := answered(management.TenantsOwnerGetWithResponse(ctx))(200).JSON200
	members := answered(management.TenantsGetMembersWithResponse(ctx, nil))(200).JSON200.Data
	same(members, []coffer.TenantMember{*owner})
	answered(management.TenantsDeleteMemberWithResponse(ctx, owner.Id))(422)
	body := coffer.TenantsCreateInvitationJSONRequestBody{Email: "somebody@example.com"}
	made := answered(management.TenantsCreateInvitationWithResponse(ctx, body))(201).JSON201
	same([]string{made.Role, string(made.Status)}, []string{"ADMIN", "PENDING"})
	same(answered(management.TenantsGetInvitationsWithResponse(ctx, nil))(200).JSON200.Data[0].Id, made.Id)
	same(answered(management.TenantsResendInvitationWithResponse(ctx, made.Id))(200).JSON200.Id, made.Id)
	answered(management.TenantsDeleteInvitationWithResponse(ctx, made.Id))(204)
	answered(management.TenantsGetInvitationByIdWithResponse(ctx, made.Id))(404)
}

func roles() {
	wanted := []coffer.Role{{Name: "OWNER"}, {Name: "ADMIN"}, {Name: "READ_ONLY"}}
	same(*answered(management.RolesGetWithResponse(ctx))(200).JSON200, wanted)
}

func applicationTemplates() {
	template := (*answered(management.ApplicationTemplatesGetWithResponse(ctx))(200).JSON200)[0]
	same(*answered(management.ApplicationTemplatesGetByIdWithResponse(ctx, template.Id))(200).JSON200, template)
}

func usageReport() {
	newToken("token", "counted", nil)
	report := answered(management.TenantsGetTenantUsageReportWithResponse(ctx))(200).JSON200
	same(report.TokenReport.MetricsByType["token"].Count > 0, true)
}

func cardDetails() {
	params := coffer.EnrichmentsGetCardDetailsParams{Bin: "378282"}
	got := answered(browser.EnrichmentsGetCardDetailsWithResponse(ctx, &params))(200).JSON200
	same([]string{*got.Brand, got.BinRange[0].BinMin}, []string{"American Express", "378282"})
}

func threeDSecure() {
	number := map[string]any{"number": "4000020000000000", "expiration_month": 12, "expiration_year": 2035}
	token := newToken("card", number, nil)
	given := `{"token_id":"` + token.Id + `","device":"browser","device_info":` + os.Getenv("DEVICE_INFO") + "}"
	var session coffer.ThreeDSThreeDSCreateSessionJSONRequestBody
	must(0, json.Unmarshal([]byte(given), &session))
	made := answered(backend.ThreeDSThreeDSCreateSessionWithResponse(ctx, session))(201).JSON201
	var payment coffer.ThreeDSThreeDSAuthenticateSessionJSONRequestBody
	must(0, json.Unmarshal([]byte(os.Getenv("PAYMENT")), &payment))
	asked := answered(backend.ThreeDSThreeDSAuthenticateSessionWithResponse(ctx, made.Id, payment))(200).JSON200
	same([]string{made.CardBrand, string(asked.AuthenticationStatus)}, []string{"Visa", "challenge"})
	page := must(http.PostForm(*asked.AcsChallengeUrl+"/answer", map[string][]string{"choice": {"pass"}}))
	same(page.StatusCode, 200)
	result := answered(backend.ThreeDSThreeDSGetChallengeResultWithResponse(ctx, made.Id))(200).JSON200
	same(string(result.AuthenticationStatus), "successful")
	same(*answered(backend.ThreeDSThreeDSGetSessionByIdWithResponse(ctx, made.Id))(200).JSON200.Authentication, *result)
}

func accountUpdater() {
	number := map[string]any{"number": "4111111111111111", "expiration_month": 12, "expiration_year": 2023}
	token := newToken("card", number, nil)
	body := coffer.AccountUpdaterInvokeJSONRequestBody{TokenId: token.Id}
	same(string(answered(backend.AccountUpdaterInvokeWithResponse(ctx, body))(200).JSON200.ResultCode), "UPD_PAN")
	job := answered(backend.AccountUpdaterJobsCreateWithResponse(ctx, coffer.AccountUpdaterJobsCreateJSONRequestBody{}))(201).JSON201
	upload := must(http.NewRequest("PUT", job.UploadUrl, bytes.NewBufferString("token\n"+token.Id+"\n")))
	same(must(http.DefaultClient.Do(upload)).StatusCode, 200)
	for {
		shown := answered(backend.AccountUpdaterJobsGetByIdWithResponse(ctx, job.Id))(200).JSON200
		if shown.Status == "completed" {
			same(*shown.Requests, 1)
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	listed := answered(backend.AccountUpdaterJobsGetWithResponse(ctx, nil))(200).JSON200
	same(listed.Data[0].Id, job.Id)
}

func merchants() {
	tenant := answered(management.TenantsGetWithResponse(ctx))(200).JSON200.Id
	body := coffer.MerchantsCreateJSONRequestBody{Name: "Shop"}
	made := answered(management.MerchantsCreateWithResponse(ctx, tenant, body))(201).JSON201
	update := coffer.MerchantsUpdateJSONRequestBody{Name: "Store"}
	same(answered(management.MerchantsUpdateWithResponse(ctx, tenant, made.Id, update))(200).JSON200.Name, "Store")
	all := coffer.MerchantsRequestOnboardingJSONRequestBody{}
	onboarded := answered(management.MerchantsRequestOnboardingWithResponse(ctx, tenant, made.Id, all))(200).JSON200
	same(string(onboarded.Services["network_token"].Status), "active")
	same(answered(management.MerchantsGetWithResponse(ctx, tenant, nil))(200).JSON200.Data[0].Name, "Store")
	same(answered(management.MerchantsDeleteWithResponse(ctx, tenant, made.Id))(200).JSON200.Id, made.Id)
	answered(management.MerchantsGetByIdWithResponse(ctx, tenant, made.Id))(404)
}

func wallets() {
	merchant := coffer.ApplePayCreateMerchantJSONRequestBody{MerchantIdentifier: "merchant.com.example.shop"}
	made := answered(management.ApplePayCreateMerchantWithResponse(ctx, merchant))(201).JSON201
	same(answered(management.ApplePayGetMerchantWithResponse(ctx, made.Id))(200).JSON200.Id, made.Id)
	answered(management.ApplePayRemoveMerchantWithResponse(ctx, made.Id))(204)
	answered(management.ApplePayGetMerchantWithResponse(ctx, made.Id))(404)
	domain := coffer.ApplePayCreateDomainJSONRequestBody{Domain: "shop.example.com"}
	same(answered(management.ApplePayCreateDomainWithResponse(ctx, domain))(200).JSON200.Domains[0].Status, "verified")

	var apple coffer.ApplePayCreateJSONRequestBody
	must(0, json.Unmarshal([]byte(os.Getenv("APPLE_PAYMENT_DATA")), &apple.ApplePaymentData))
	paid := answered(backend.ApplePayCreateWithResponse(ctx, apple))(201).JSON201.ApplePay
	data := answered(backend.ApplePayGetByIdWithResponse(ctx, paid.Id))(200).JSON200.Data
	same(data.(map[string]any)["number"], "4784000000380075")
	answered(backend.ApplePayDeleteWithResponse(ctx, paid.Id))(200)
	var google coffer.GooglePayCreateJSONRequestBody
	must(0, json.Unmarshal([]byte(os.Getenv("GOOGLE_PAYMENT_DATA")), &google.GooglePaymentData))
	second := answered(backend.GooglePayCreateWithResponse(ctx, google))(201).JSON201.GooglePay
	data = answered(backend.GooglePayGetByIdWithResponse(ctx, second.Id))(200).JSON200.Data
	same(data.(map[string]any)["number"], "4784000000380075")
	answered(backend.GooglePayDeleteWithResponse(ctx, second.Id))(200)
}

func errors() {
	as := coffer.TokensCreateJSONBodyType("card")
	body := coffer.TokensCreateJSONRequestBody{Type: &as, Data: map[string]string{"number": "4242424242424241"}}
	refused := answered(backend.TokensCreateWithResponse(ctx, body))(400).JSON400
	same(len((*refused.Errors)["data.number"]), 1)
	answered(client("key_local_pvt_wrong").TokensGetByIdWithResponse(ctx, "x"))(401)
	answered(browser.TokensGetByIdWithResponse(ctx, "x"))(403)
	same(string(answered(backend.TokensGetByIdWithResponse(ctx, "x"))(404).JSON404.Code), "not_found")
}

func paging() {
	metadata := map[string]string{"paging": "yes"}
	var made, found []string
	for at := range 5 {
		made = append(made, newToken("token", at, metadata).Id)
	}
	size := 2
	params := coffer.TokensGetV2Params{Metadata: &metadata, Size: &size}
	for {
		page := answered(backend.TokensGetV2WithResponse(ctx, &params))(200).JSON200
		for _, each := range page.Data {
			found = append(found, each.Id)
		}
		if page.Pagination.Next == nil {
			break
		}
		params.Start = page.Pagination.Next
	}
	slices.Sort(made)
	slices.Sort(found)
	same(found, made)
}

func idempotency() {
	create := func(key string) string { return newToken("token", "once", nil, header("SVC-IDEMPOTENCY-KEY", key)).Id }
	first := create("one")
	same([]bool{create("one") == first, create("two") == first}, []bool{true, false})
}

func try(run func()) (outcome string) {
	defer func() {
		if problem := recover(); problem != nil {
			outcome = fmt.Sprint(problem)
		}
	}()
	run()
	return "ok"
}

func main() {
	outcomes := map[string]string{}
	for name, run := range map[string]func(){
		"tokens": tokens, "tokenize": tokenize, "detokenize": detokenize, "token intents": tokenIntents,
		"applications": applications, "application keys": applicationKeys, "proxies": proxies, "reactors": reactors,
		"webhooks": webhooks, "documents": documents, "client keys": clientKeys,
		"members and invitations": membersAndInvitations, "roles": roles, "application templates": applicationTemplates,
		"usage report": usageReport, "card details": cardDetails, "3D Secure": threeDSecure,
		"account updater": accountUpdater, "merchants": merchants, "wallets": wallets,
		"errors": errors, "paging": paging, "idempotency": idempotency,
	} {
		outcomes[name] = try(run)
	}
	must(0, json.NewEncoder(os.Stdout).Encode(outcomes))
}
