import type {
  CardNetwork,
  Merchant,
  MerchantDetails,
  MerchantService,
  ServiceStatus,
} from '../../../../../shared/schemas/merchant.ts'
import { formatIsoTime } from '../../../../../shared/time.ts'
import type { Context } from '../../../pipeline/context.ts'
import type { MerchantRow } from './store.ts'

/** The networks that a merchant was registered with, by service. */
export type OnboardedServices = Partial<Record<MerchantService, readonly CardNetwork[] | undefined>>

export function parseServices({ services }: MerchantRow): OnboardedServices {
  return JSON.parse(services)
}

export function parseDetails({ details }: MerchantRow): MerchantDetails {
  return JSON.parse(details)
}

/** Returns a merchant in the format of the API (rule Z-03). */
export function toMerchant({ tenant_id }: Context, row: MerchantRow): Merchant {
  const { account_updater, network_token, agentic_commerce } = parseServices(row)
  return {
    id: row.id,
    tenant_id,
    name: row.name,
    details: parseDetails(row),
    services: {
      account_updater: toServiceStatus(account_updater),
      network_token: toServiceStatus(network_token),
      agentic_commerce: toServiceStatus(agentic_commerce),
    },
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_by !== null && { modified_by: row.modified_by }),
    ...(row.modified_at !== null && { modified_at: formatIsoTime(row.modified_at) }),
  }
}

/** The hosted service does not document the words. A test tenant registers with no network, so all is active at once. */
function toServiceStatus(networks: readonly CardNetwork[] = []): ServiceStatus {
  const toStatus = (isActive: boolean) => ({ status: isActive ? 'active' : 'not_requested' }) as const
  return {
    ...toStatus(networks.length > 0),
    providers: [],
    card_network_status: {
      visa: toStatus(networks.includes('visa')),
      mastercard: toStatus(networks.includes('mastercard')),
      amex: toStatus(networks.includes('amex')),
      discover: toStatus(networks.includes('discover')),
    },
  }
}
