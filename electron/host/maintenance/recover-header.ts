import { type Header, readHeader } from '../files/header.ts'
import { isMaster } from '../keys/master.ts'
import { adoptNextMaster, dropNextMaster } from '../keys/recover-master.ts'
import type { OpenVault } from '../vault/vault.ts'

/** Returns the header of an open vault, after finishing an interrupted change of the master secret. */
export async function recoverHeader(vault: OpenVault): Promise<Header> {
  const { files } = vault
  const header = readHeader(files.header)
  const { next } = header
  if (!next) return header
  const isNext = vault.withMaster((master) => isMaster(master, header.vault_id, next.check))
  const assertOpen = () => vault.assertOpen()
  if (isNext) await adoptNextMaster(files, header, next, assertOpen)
  else await dropNextMaster(files, header, next, assertOpen)
  return readHeader(files.header)
}
