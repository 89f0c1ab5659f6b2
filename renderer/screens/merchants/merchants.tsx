import { ResourceScreen } from '../../parts/resource-screen/resource-screen.tsx'
import { Jobs } from './jobs.tsx'
import { MerchantTable } from './merchant-table.tsx'
import { strings } from './strings.ts'
import { Wallets } from './wallets.tsx'

/** The merchants of the tenant, their registrations with wallets, and the jobs that update cards. */
export function Merchants() {
  return (
    <ResourceScreen
      screen="merchants"
      strings={strings}
      sharesViews
      views={{ merchants: <MerchantTable />, wallets: <Wallets />, updates: <Jobs /> }}
    />
  )
}
