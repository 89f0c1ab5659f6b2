import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

class CallHttpClient {
  public static void main(String[] args) throws Exception {
    String url = args.length > 0 ? args[0] : "https://api.basistheory.com/tokens";
    var request = HttpRequest.newBuilder(URI.create(url)).header("BT-API-KEY", System.getenv("BT_API_KEY")).build();
    var response = HttpClient.newHttpClient().send(request, BodyHandlers.discarding());
    System.out.println("answered " + response.statusCode());
  }
}
