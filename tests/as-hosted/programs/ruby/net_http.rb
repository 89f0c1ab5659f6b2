require 'net/http'

uri = URI(ARGV[0] || 'https://api.basistheory.com/tokens')
response = Net::HTTP.get_response(uri, 'BT-API-KEY' => ENV['BT_API_KEY'])
puts "answered #{response.code}"
