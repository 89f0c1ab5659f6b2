import { formatCardTerm } from '../../../../shared/card-term.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { PanelSection, PropertyList, PropertyRow } from '../../../ui/panel.tsx'
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
        <PropertyList>
          <PropertyRow name={t.fields.bin}>
            <span className="mono">{bin}</span>
          </PropertyRow>
          <PropertyRow name={t.fields.last4}>
            <span className="mono">{last4}</span>
          </PropertyRow>
          {expiration_month !== undefined && (
            <PropertyRow name={t.fields.expiry}>
              {String(expiration_month).padStart(2, '0')}/{expiration_year}
            </PropertyRow>
          )}
          {brand !== null && <PropertyRow name={t.fields.brand}>{formatCardTerm(brand)}</PropertyRow>}
          {funding !== null && <PropertyRow name={t.fields.funding}>{formatCardTerm(funding)}</PropertyRow>}
          {authentication !== null && (
            <PropertyRow name={t.fields.authentication}>{authentication}</PropertyRow>
          )}
          {issuer?.name !== undefined && <PropertyRow name={t.fields.issuer}>{issuer.name}</PropertyRow>}
          {issuer_country && (
            <PropertyRow name={t.fields.country}>{issuer_country.name ?? issuer_country.alpha2}</PropertyRow>
          )}
          {segment !== undefined && <PropertyRow name={t.fields.segment}>{segment}</PropertyRow>}
        </PropertyList>
      </PanelSection>
    )
  }
  if (!bank) return null
  return (
    <PanelSection title={t.bank}>
      <PropertyList>
        <PropertyRow name={t.fields.routing}>
          <span className="mono">{bank.routing_number}</span>
        </PropertyRow>
        <PropertyRow name={t.fields.account}>
          <span className="mono">…{bank.account_number_last4}</span>
        </PropertyRow>
      </PropertyList>
    </PanelSection>
  )
}
