const [url = 'https://api.basistheory.com/tokens'] = Deno.args
const response = await fetch(url, { headers: { 'BT-API-KEY': Deno.env.get('BT_API_KEY') } })
console.log('answered', response.status)
