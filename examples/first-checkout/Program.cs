#:sdk Microsoft.NET.Sdk.Web
using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.RegularExpressions;

var env = File.ReadAllLines(".env")
    .Where(line => !line.StartsWith('#') && line.Contains('='))
    .Select(line => line.Trim().Split('=', 2))
    .ToDictionary(pair => pair[0], pair => pair[1]);
var orders = new ConcurrentDictionary<string, string>();
var client = new HttpClient { BaseAddress = new Uri(env["COFFER_BASE_URL"]) };
var app = WebApplication.Create();

app.MapGet("/", () =>
{
    var page = File.ReadAllText("page.html")
        .Replace("COFFER_BASE_URL", env["COFFER_BASE_URL"])
        .Replace("COFFER_PUBLIC_KEY", env["COFFER_PUBLIC_KEY"]);
    return Results.Content(page, "text/html");
});

app.MapGet("/orders/{order}", (string order) => orders.GetValueOrDefault(order, "unknown"));

// The proxy inserts the card into the request, so this server never has its number.
app.MapPost("/pay", async (HttpRequest received) =>
{
    var token = await new StreamReader(received.Body).ReadToEndAsync();
    if (!Regex.IsMatch(token, @"\A[\w-]+\z")) return Results.Text("This is no token.", statusCode: 400);
    var order = Guid.NewGuid().ToString();
    orders[order] = "open";
    var card = $"{{{{ {token} | json: '$.number' }}}}";
    var request = new HttpRequestMessage(HttpMethod.Post, "/proxy")
    {
        Content = JsonContent.Create(new { amount = 1999, currency = "EUR", card }),
    };
    request.Headers.Add("SVC-API-KEY", env["COFFER_API_KEY"]);
    request.Headers.Add("SVC-PROXY-KEY", env["COFFER_PROXY_KEY"]);
    request.Headers.Add("SVC-TRACE-ID", order);
    var response = await client.SendAsync(request);
    if (response.IsSuccessStatusCode) return Results.Text(order);
    orders[order] = "failed";
    return Results.Text(await response.Content.ReadAsStringAsync(), statusCode: 502);
});

// Events arrive signed. Only one that the vault has signed marks an order as paid.
app.MapPost("/webhook", async (HttpRequest received) =>
{
    using var body = new MemoryStream();
    await received.Body.CopyToAsync(body);
    using var key = RSA.Create();
    key.ImportFromPem(await client.GetStringAsync("/.well-known/webhooks.v1.key"));
    var signature = Convert.FromBase64String(received.Headers["BT-SIGNATURE"].ToString());
    if (!key.VerifyData(body.ToArray(), signature, HashAlgorithmName.SHA256, RSASignaturePadding.Pss))
        return Results.Text("The signature is wrong.", statusCode: 400);
    var sent = JsonDocument.Parse(body.ToArray()).RootElement.GetProperty("event");
    var order = sent.GetProperty("trace_id").GetString() ?? "";
    var status = sent.GetProperty("data").GetProperty("destination").GetProperty("response").GetProperty("status");
    var paid = status.ValueKind == JsonValueKind.Number && status.GetInt32() == 200;
    if (orders.ContainsKey(order)) orders[order] = paid ? "paid" : "failed";
    return Results.Ok();
});

app.Run($"http://localhost:{env["PORT"]}");
