const { BasisTheory } = require('@basis-theory/basis-theory-js')

async function main() {
  const client = await new BasisTheory().init(
    process.env.BT_API_KEY,
    process.argv[2] && { apiBaseUrl: process.argv[2] },
  )
  const { id } = await client.tokens.create({ type: 'token', data: 'value' })
  const { data } = await client.tokens.retrieve(id)
  console.log('answered', data === 'value' ? 200 : data)
}

void main()
