import { z } from '../zod.ts'
import { nameObject, optionalField } from './common.ts'
import { moment } from './moment.ts'

/** A new client encryption key (rule C-01). */
export const newClientKey = z.strictObject({ expires_at: optionalField(moment) })

/** A client encryption key in a list (rule C-01). */
export const clientKey = nameObject('ClientKey', { key_id: z.uuid(), expires_at: z.string() })

/** The response to the creation of a client encryption key, the only one with the public key, in PEM armour. */
export const createdClientKey = clientKey
  .extend({ public_key_pem: z.string() })
  .meta({ id: 'CreatedClientKey' })
