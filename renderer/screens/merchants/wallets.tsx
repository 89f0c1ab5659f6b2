import { Group } from '@mantine/core'
import { NoneCreated } from '../../parts/api/none-created.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { Chip } from '../../ui/chip.tsx'
import styles from '../../ui/row-table.module.css'
import type { DataColumn } from '../../ui/row-table.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { RemovableRows } from './removable-rows.tsx'
import { strings } from './strings.ts'
import { TableView } from './table-view.tsx'

const t = strings.wallets
type Registration = Awaited<ReturnType<typeof vault.wallets.getOverview>>['merchants'][number]

/** The merchant registrations of Apple Pay and Google Pay with their certificates, and the registered domains. */
export function Wallets() {
  return (
    <TableView
      read={() => vault.wallets.getOverview()}
      changing={['wallet_merchant', 'wallet_certificate', 'wallet_domain']}
    >
      {({ merchants, domains }) => (
        <>
          {merchants.length === 0 ? (
            <NoneCreated
              icon="card"
              strings={t.empty}
              path="/google-pay/merchant-registration"
              keyHint={t.empty.keyHint}
              body={{ merchant_identifier: 'BCR2DN6T7654321' }}
            />
          ) : (
            <RemovableRows
              rows={merchants}
              columns={columns}
              strings={t}
              getName={({ merchant_identifier }) => merchant_identifier}
              onRemove={removeMerchant}
            />
          )}
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

const columns: readonly DataColumn<Registration>[] = [
  {
    label: t.merchant,
    className: styles.text,
    render: ({ wallet, merchant_identifier }) => (
      <>
        <Chip>{t.names[wallet]}</Chip> <MarkedText text={merchant_identifier} />
      </>
    ),
  },
  { label: t.id, className: `mono ${styles.short}`, render: ({ id }) => id },
  {
    label: t.certificates,
    render: ({ certificates }) =>
      certificates.map(({ id, name, fingerprint, expires_at }) => (
        <div key={id + name}>
          <span className={`mono ${styles.short}`} title={fingerprint}>
            {t.shortenFingerprint(fingerprint)}
          </span>{' '}
          {t.expires} <Time at={expires_at} ahead />
        </div>
      )),
  },
]

async function removeMerchant({ wallet, id }: Registration): Promise<void> {
  await (wallet === 'apple' ? vault.applePay.removeMerchant({ id }) : vault.googlePay.removeMerchant({ id }))
}
