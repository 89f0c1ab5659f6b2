import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class Server {
    static final Map<String, String> orders = new ConcurrentHashMap<>();
    static final HttpClient client = HttpClient.newHttpClient();
    static Map<String, String> env;

    public static void main(String[] args) throws IOException {
        env = Files.readAllLines(Path.of(".env")).stream()
            .filter(line -> !line.startsWith("#") && line.contains("="))
            .map(line -> line.strip().split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        var port = Integer.parseInt(env.get("PORT"));
        var server = HttpServer.create(new InetSocketAddress("localhost", port), 0);
        server.createContext("/", Server::handle);
        server.start();
        System.out.println("http://localhost:" + port);
    }

    record Answer(int status, String text, String type) {
        Answer(int status, String text) {
            this(status, text, "text/plain");
        }
    }

    static void handle(HttpExchange exchange) throws IOException {
        Answer answer;
        try {
            answer = answer(exchange);
        } catch (Exception error) {
            answer = new Answer(500, String.valueOf(error.getMessage()));
        }
        var bytes = answer.text().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.type() + "; charset=utf-8");
        exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    static Answer answer(HttpExchange exchange) throws Exception {
        var path = exchange.getRequestURI().getPath();
        var target = exchange.getRequestMethod() + " " + path;
        var body = exchange.getRequestBody().readAllBytes();
        if (target.equals("GET /")) return new Answer(200, page(), "text/html");
        if (target.equals("POST /pay")) return pay(new String(body, StandardCharsets.UTF_8));
        if (target.equals("POST /webhook"))
            return receiveEvent(body, exchange.getRequestHeaders().getFirst("BT-SIGNATURE"));
        if (target.startsWith("GET /orders/"))
            return new Answer(200, orders.getOrDefault(path.substring("/orders/".length()), "unknown"));
        return new Answer(404, "Not found");
    }

    static String page() throws IOException {
        return Files.readString(Path.of("page.html"))
            .replace("COFFER_BASE_URL", env.get("COFFER_BASE_URL"))
            .replace("COFFER_PUBLIC_KEY", env.get("COFFER_PUBLIC_KEY"));
    }

    // The proxy inserts the card into the request, so this server never has its number.
    static Answer pay(String token) throws Exception {
        if (!token.matches("[\\w-]+")) return new Answer(400, "This is no token.");
        var order = UUID.randomUUID().toString();
        orders.put(order, "open");
        var body = """
            {"amount": 1999, "currency": "EUR", "card": "{{ %s | json: '$.number' }}"}""".formatted(token);
        var request = HttpRequest.newBuilder(URI.create(env.get("COFFER_BASE_URL") + "/proxy"))
            .header("SVC-API-KEY", env.get("COFFER_API_KEY"))
            .header("SVC-PROXY-KEY", env.get("COFFER_PROXY_KEY"))
            .header("SVC-TRACE-ID", order)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        var response = client.send(request, BodyHandlers.ofString());
        if (response.statusCode() == 200) return new Answer(200, order);
        orders.put(order, "failed");
        return new Answer(502, response.body());
    }

    // Events arrive signed. Only one that the vault has signed marks an order as paid.
    static Answer receiveEvent(byte[] body, String signature) throws Exception {
        if (signature == null || !isFromCoffer(body, signature)) return new Answer(400, "The signature is wrong.");
        // The members of an event are sorted, so this is its data.destination.response.status. A JSON library reads it too.
        var event = new String(body, StandardCharsets.UTF_8);
        var paid = event.contains("\"status\":200}},\"proxy\":");
        var trace = Pattern.compile("\"trace_id\":\"([^\"]+)\"").matcher(event);
        if (trace.find()) orders.computeIfPresent(trace.group(1), (id, state) -> paid ? "paid" : "failed");
        return new Answer(200, "");
    }

    static boolean isFromCoffer(byte[] body, String signature) throws Exception {
        var address = URI.create(env.get("COFFER_BASE_URL") + "/.well-known/webhooks.v1.key");
        var pem = client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
        var der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[^-]+-----", ""));
        var verifier = Signature.getInstance("RSASSA-PSS");
        verifier.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
        verifier.initVerify(KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(der)));
        verifier.update(body);
        return verifier.verify(Base64.getDecoder().decode(signature));
    }
}
