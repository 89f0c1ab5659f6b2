import okhttp3.OkHttpClient;
import okhttp3.Request;

class CallOkHttp {
  public static void main(String[] args) throws Exception {
    String url = args.length > 0 ? args[0] : "https://api.basistheory.com/tokens";
    var request = new Request.Builder().url(url).header("BT-API-KEY", System.getenv("BT_API_KEY")).build();
    try (var response = new OkHttpClient().newCall(request).execute()) {
      System.out.println("answered " + response.code());
    }
  }
}
