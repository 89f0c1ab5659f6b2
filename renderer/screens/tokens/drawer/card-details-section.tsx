import { formatCardTerm } from '../../../../shared/card-term.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { PanelSection } from '../../../ui/panel.tsx'
import { Properties } from '../../../ui/properties.tsx'
import { MarkedSpan } from '../../../ui/text/marked-span.tsx'
import { strings } from '../strings.ts'

const t = strings.drawer

/** The details of a card or bank account that the vault shows without a reveal. */
export function CardDetailsSection({ token }: { token: Token }) {
  const { card = token.network_token, bank } = token
  if (card) {
    const { bin, last4, brand, funding, authentication, expiration_month, expiration_year } = card
    const { issuer, issuer_country, segment } = card
    return (
      <PanelSection title={t.card}>
        <Properties
          of={{
            [t.fields.bin]: bin && <MarkedSpan text={bin} />,
            [t.fields.last4]: last4 && <MarkedSpan text={last4} />,
            [t.fields.expiry]:
              expiration_month !== undefined &&
              `${String(expiration_month).padStart(2, '0')}/${expiration_year}`,
            [t.fields.brand]: brand && formatCardTerm(brand),
            [t.fields.funding]: funding && formatCardTerm(funding),
            [t.fields.authentication]: authentication,
            [t.fields.issuer]: issuer?.name,
            [t.fields.country]: issuer_country && (issuer_country.name ?? issuer_country.alpha2),
            [t.fields.segment]: segment,
          }}
        />
      </PanelSection>
    )
  }
  if (!bank) return null
  return (
    <PanelSection title={t.bank}>
      <Properties
        of={{
          [t.fields.routing]: <MarkedSpan text={bank.routing_number} />,
          [t.fields.account]: <MarkedSpan text={`…${bank.account_number_last4}`} />,
        }}
      />
    </PanelSection>
  )
}
