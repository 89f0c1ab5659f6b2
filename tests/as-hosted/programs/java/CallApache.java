import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.HttpClients;

class CallApache {
  public static void main(String[] args) throws Exception {
    String url = args.length > 0 ? args[0] : "https://api.basistheory.com/tokens";
    var request = new HttpGet(url);
    request.setHeader("BT-API-KEY", System.getenv("BT_API_KEY"));

    try (var client = HttpClients.createDefault()) {
      System.out.println("answered " + client.execute(request, response -> response.getCode()));
    }
  }
}
