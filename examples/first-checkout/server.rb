require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'
require 'socket'

ENV.update(File.readlines('.env', chomp: true).grep(/^\w+=/).to_h { |line| line.split('=', 2) })
BASE_URL = ENV.fetch('COFFER_BASE_URL')
ORDERS = {}

def show_page
  File.read('page.html').gsub(/COFFER_BASE_URL|COFFER_PUBLIC_KEY/) { |name| ENV.fetch(name) }
end

# The proxy inserts the card into the request, so this server never has its number.
def pay(token)
  return [400, 'This is no token.'] unless token.match?(/\A[\w-]+\z/)

  order = SecureRandom.uuid
  ORDERS[order] = 'open'
  headers = {
    'SVC-API-KEY' => ENV.fetch('COFFER_API_KEY'),
    'SVC-PROXY-KEY' => ENV.fetch('COFFER_PROXY_KEY'),
    'SVC-TRACE-ID' => order,
    'Content-Type' => 'application/json'
  }
  body = { amount: 1999, currency: 'EUR', card: "{{ #{token} | json: '$.number' }}" }.to_json
  response = Net::HTTP.post(URI("#{BASE_URL}/proxy"), body, headers)
  return [200, order] if response.code == '200'

  ORDERS[order] = 'failed'
  [502, response.body]
end

# Events arrive signed. Only one that the vault has signed marks an order as paid.
def receive_event(body, signature)
  key = OpenSSL::PKey::RSA.new(Net::HTTP.get(URI("#{BASE_URL}/.well-known/webhooks.v1.key")))
  signed = key.verify_pss('SHA256', signature.to_s.unpack1('m'), body, salt_length: :auto, mgf1_hash: 'SHA256')
  return [400, 'The signature is wrong.'] unless signed

  event = JSON.parse(body)['event']
  paid = event.dig('data', 'destination', 'response', 'status') == 200
  ORDERS[event['trace_id']] = paid ? 'paid' : 'failed' if ORDERS.key?(event['trace_id'])
  [200, '']
end

def answer(target, body, signature)
  case target
  when 'GET /' then [200, show_page, 'text/html']
  when 'POST /pay' then pay(body)
  when 'POST /webhook' then receive_event(body, signature)
  when %r{\AGET /orders/(.+)} then [200, ORDERS.fetch($1, 'unknown')]
  else [404, 'Not found']
  end
end

# A server of the standard library, to need no package. In a shop of your own, these are routes of Sinatra or Rails.
def serve(client)
  method, path = client.gets.to_s.split
  headers = {}
  while (line = client.gets.to_s.chomp) != ''
    name, value = line.split(': ', 2)
    headers[name.downcase] = value
  end
  body = client.read(headers['content-length'].to_i).to_s
  status, text, type = answer("#{method} #{path}", body, headers['bt-signature'])
  client.write "HTTP/1.1 #{status} \r\nContent-Type: #{type || 'text/plain'}; charset=utf-8\r\n" \
               "Content-Length: #{text.bytesize}\r\nConnection: close\r\n\r\n#{text}"
ensure
  client.close
end

server = TCPServer.new('localhost', ENV.fetch('PORT').to_i)
puts "http://localhost:#{ENV.fetch('PORT')}"
$stdout.flush
loop { Thread.new(server.accept) { |client| serve(client) } }
