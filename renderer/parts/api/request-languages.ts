import type { SnippetLanguage } from '../../../shared/host/settings.ts'
import type { Json } from '../../../shared/json.ts'
import {
  type Dialect,
  formatCurl,
  formatFetch,
  formatNodeSdk,
  formatPython,
  type HttpRequest,
  listHeaders,
  quoteSingle,
} from './snippets.ts'

const formatters: Readonly<Record<SnippetLanguage, (request: HttpRequest) => string>> = {
  curl: formatCurl,
  node: formatFetch,
  'node-sdk': formatNodeSdk,
  python: formatPython,
  go: formatGo,
  java: formatJava,
  php: formatPhp,
  ruby: formatRuby,
  csharp: formatCsharp,
}

/** A complete program that sends a request and prints the answer. The SDK lacks some requests; its code then says so. */
export function formatRequest(language: SnippetLanguage, request: HttpRequest): string {
  return formatters[language](request)
}

// The body is JSON text in these languages, which keeps every number as it is written.
const toText = (body: Json) => JSON.stringify(body, null, 2)
const quoteDouble = (text: string) => JSON.stringify(text)

// Go accepts a byte order mark only at the beginning of a file.
const go: Dialect = {
  quote: (text) => quoteDouble(text).replaceAll('\ufeff', String.raw`\ufeff`),
  env: (name) => `os.Getenv("${name}")`,
}

function formatGo(request: HttpRequest): string {
  const { method, url, key, body } = request
  const text = body === undefined ? null : toText(body)
  const packages = ['fmt', 'io', 'net/http', ...(typeof key === 'string' ? [] : ['os'])]
  if (text !== null) packages.push('strings')
  const written = /[`\ufeff]/.test(text ?? '') ? go.quote(text ?? '') : `\`${text}\``
  return `package main

import (
${packages.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
${text === null ? '' : `\tbody := ${written}\n`}\trequest, err := http.NewRequest("${method}", ${quoteDouble(url)}, ${text === null ? 'nil' : 'strings.NewReader(body)'})
	if err != nil {
		panic(err)
	}
${listHeaders(request, go)
  .map(([name, value]) => `\trequest.Header.Set(${name}, ${value})`)
  .join('\n')}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.StatusCode, string(answer))
}`
}

const java: Dialect = { quote: quoteDouble, env: (name) => `System.getenv("${name}")` }

function formatJava(request: HttpRequest): string {
  const { method, url, body } = request
  const publisher =
    body === undefined
      ? 'BodyPublishers.noBody()'
      : `BodyPublishers.ofString("""
${toText(body).replaceAll('\\', '\\\\')}
""")`
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

class Call {
    public static void main(String[] args) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(${quoteDouble(url)}))
${listHeaders(request, java)
  .map(([name, value]) => `            .header(${name}, ${value})`)
  .join('\n')}
            .method("${method}", ${publisher})
            .build();
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        System.out.println(response.statusCode() + " " + response.body());
    }
}`
}

const php: Dialect = { quote: quoteSingle, env: (name) => `getenv('${name}')` }

function formatPhp(request: HttpRequest): string {
  const { method, url, body } = request
  const headers = listHeaders(request, php).map(([name, value]) => {
    const begin = `${name.slice(0, -1)}: `
    return `        ${value.startsWith("'") ? begin + value.slice(1) : `${begin}' . ${value}`},`
  })
  return `<?php
$request = curl_init(${quoteSingle(url)});
curl_setopt_array($request, [
    CURLOPT_CUSTOMREQUEST => '${method}',
    CURLOPT_HTTPHEADER => [
${headers.join('\n')}
    ],
    CURLOPT_RETURNTRANSFER => true,
${
  body === undefined
    ? ''
    : `    CURLOPT_POSTFIELDS => <<<'JSON'
${toText(body)}
JSON,
`
}]);
$answer = curl_exec($request);
echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), ' ', $answer, "\\n";`
}

const ruby: Dialect = { quote: quoteSingle, env: (name) => `ENV.fetch('${name}')` }

function formatRuby(request: HttpRequest): string {
  const { method, url, body } = request
  const name = method.charAt(0) + method.slice(1).toLowerCase()
  const headers = listHeaders(request, ruby).map(([header, value]) => `  ${header} => ${value},`)
  return `require 'net/http'

uri = URI(${quoteSingle(url)})
request = Net::HTTP::${name}.new(uri, {
${headers.join('\n')}
})
${
  body === undefined
    ? ''
    : `request.body = <<'JSON'
${toText(body)}
JSON
`
}response = Net::HTTP.start(uri.hostname, uri.port, use_ssl: uri.scheme == 'https') { |http| http.request(request) }
puts "#{response.code} #{response.body}"`
}

const csharp: Dialect = { quote: quoteDouble, env: (name) => `Environment.GetEnvironmentVariable("${name}")` }

function formatCsharp(request: HttpRequest): string {
  const { method, url, body } = request
  const headers = listHeaders(request, csharp)
  // The content type is set with the content.
  const contentType = body === undefined ? undefined : headers.pop()
  return `using System.Text;

var request = new HttpRequestMessage(new HttpMethod("${method}"), ${quoteDouble(url)});
${headers.map(([name, value]) => `request.Headers.Add(${name}, ${value});`).join('\n')}
${
  body === undefined
    ? ''
    : `request.Content = new StringContent("""
${toText(body)}
""", Encoding.UTF8, ${contentType?.[1]});
`
}var response = await new HttpClient().SendAsync(request);
Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");`
}
