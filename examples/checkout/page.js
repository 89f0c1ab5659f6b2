const content = (name) => document.querySelector(`meta[name=${name}]`).content
const vault = content('vault')
const key = content('public-key')

// The official web client, pointed to Coffer by its two options.
const { createSession, startChallenge } = window.BasisTheory3ds(key, {
  apiBaseUrl: vault,
  sdkBaseUrl: `${vault}/3ds`,
  disableTelemetry: true,
})

async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

async function pay(number) {
  const card = { number, expiration_month: 12, expiration_year: 2035 }
  const token = await post(`${vault}/tokens`, { type: 'card', data: card }, { 'BT-API-KEY': key })
  const { id: session } = await createSession({ tokenId: token.id })
  const asked = await post('/authenticate', { session })
  if (asked.authenticationStatus === 'challenge') {
    await startChallenge({
      sessionId: session,
      acsChallengeUrl: asked.acsChallengeUrl,
      acsTransactionId: asked.acsTransactionId,
      threeDSVersion: asked.threedsVersion,
    })
  }
  return post('/pay', { session })
}

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault()
  const outcome = document.querySelector('#outcome')
  outcome.textContent = 'Asking the bank …'
  pay(new FormData(event.target).get('number')).then(
    ({ paid, authenticationStatus }) => {
      outcome.textContent = paid ? `Paid: ${authenticationStatus}` : `Not paid: ${authenticationStatus}`
    },
    () => {
      outcome.textContent = 'Not paid: something failed'
    },
  )
})
