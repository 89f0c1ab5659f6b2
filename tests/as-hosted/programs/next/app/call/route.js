export async function GET() {
  const response = await fetch('https://api.basistheory.com/tokens', {
    headers: { 'BT-API-KEY': process.env.BT_API_KEY },
  })
  return new Response(`route answered ${response.status}`)
}
