export const dynamic = 'force-dynamic'

export default async function Page() {
  const response = await fetch('https://api.basistheory.com/tokens', {
    headers: { 'BT-API-KEY': process.env.BT_API_KEY },
  })
  return <p>{`page answered ${response.status}`}</p>
}
