import java.net.HttpURLConnection;
import java.net.URI;

class CallUrlConnection {
  public static void main(String[] args) throws Exception {
    String url = args.length > 0 ? args[0] : "https://api.basistheory.com/tokens";
    var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    connection.setRequestProperty("BT-API-KEY", System.getenv("BT_API_KEY"));
    System.out.println("answered " + connection.getResponseCode());
  }
}
