import type { Token } from '../../../../shared/schemas/token.ts'
import { Fact, Facts, Part } from '../../../ui/panel.tsx'
import { strings } from '../strings.ts'

const t = strings.drawer

/** What the vault says about a card or bank account without revealing it. */
export function CardFacts({ token: { card, bank } }: { token: Token }) {
  if (card) {
    const { bin, last4, brand, funding, authentication, expiration_month, expiration_year } = card
    return (
      <Part title={t.card}>
        <Facts>
          <Fact name={t.fields.bin}>
            <span className="mono">{bin}</span>
          </Fact>
          <Fact name={t.fields.last4}>
            <span className="mono">{last4}</span>
          </Fact>
          {expiration_month !== undefined && (
            <Fact name={t.fields.expiry}>
              {String(expiration_month).padStart(2, '0')}/{expiration_year}
            </Fact>
          )}
          {brand !== null && <Fact name={t.fields.brand}>{brand}</Fact>}
          {funding !== null && <Fact name={t.fields.funding}>{funding}</Fact>}
          {authentication !== null && <Fact name={t.fields.authentication}>{authentication}</Fact>}
        </Facts>
      </Part>
    )
  }
  if (!bank) return null
  return (
    <Part title={t.bank}>
      <Facts>
        <Fact name={t.fields.routing}>
          <span className="mono">{bank.routing_number}</span>
        </Fact>
        <Fact name={t.fields.account}>
          <span className="mono">…{bank.account_number_last4}</span>
        </Fact>
      </Facts>
    </Part>
  )
}
