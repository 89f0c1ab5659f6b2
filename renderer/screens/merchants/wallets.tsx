import { Group } from '@mantine/core'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { Chip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import styles from '../../ui/row-table.module.css'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { RemovableRows } from './removable-rows.tsx'
import { strings } from './strings.ts'
import { TableView } from './table-view.tsx'

const t = strings.wallets
const changing = ['wallet_merchant', 'wallet_certificate', 'wallet_domain'] as const
type Registration = Awaited<ReturnType<typeof vault.wallets.getOverview>>['merchants'][number]

/** The merchant registrations of Apple Pay and Google Pay with their certificates, and the registered domains. */
export function Wallets() {
  return (
    <TableView read={() => vault.wallets.getOverview()} changing={changing}>
      {({ merchants, domains }) => (
        <>
          {merchants.length === 0 ? <NoRegistrations /> : <Registrations of={merchants} />}
          {domains.length > 0 && (
            <Group gap={5} mt={16}>
              {t.domains}
              {domains.map((domain) => (
                <Chip key={domain}>
                  <span className="clip" title={domain}>
                    {domain}
                  </span>
                </Chip>
              ))}
            </Group>
          )}
        </>
      )}
    </TableView>
  )
}

function NoRegistrations() {
  return (
    <Empty icon="card" title={t.empty.title} text={t.empty.text}>
      <RequestSnippet
        request={{
          method: 'POST',
          path: '/google-pay/merchant-registration',
          key: t.empty.keyHint,
          body: { merchant_identifier: 'BCR2DN6T7654321' },
        }}
        wrap
      />
    </Empty>
  )
}

function Registrations({ of }: { readonly of: readonly Registration[] }) {
  return (
    <RemovableRows
      rows={of}
      labels={[t.merchant, t.id, t.certificates]}
      strings={t}
      getName={({ merchant_identifier }) => merchant_identifier}
      renderCells={({ id, wallet, merchant_identifier, certificates }) => (
        <>
          <td className={styles.text}>
            <Chip>{t.names[wallet]}</Chip> <MarkedText text={merchant_identifier} />
          </td>
          <td className={`mono ${styles.short}`}>{id}</td>
          <td>
            {certificates.map(({ id: key, name, fingerprint, expires_at }) => (
              <div key={key + name}>
                <span className={`mono ${styles.short}`} title={fingerprint}>
                  {t.shortenFingerprint(fingerprint)}
                </span>{' '}
                {t.expires} <Time at={expires_at} ahead />
              </div>
            ))}
          </td>
        </>
      )}
      onRemove={removeMerchant}
    />
  )
}

async function removeMerchant({ wallet, id }: Registration): Promise<void> {
  await (wallet === 'apple' ? vault.applePay.removeMerchant({ id }) : vault.googlePay.removeMerchant({ id }))
}
