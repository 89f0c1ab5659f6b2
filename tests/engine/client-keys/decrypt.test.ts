import { expect, onTestFinished, test } from 'vitest'
import { deriveDatabaseKey, Keyring } from '../../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../../electron/engine/db/open.ts'
import { decryptJwes } from '../../../electron/engine/resources/client-keys/decrypt.ts'
import { sealPrivateKey } from '../../../electron/engine/resources/client-keys/private-half.ts'
import { insertClientKey } from '../../../electron/engine/resources/client-keys/store.ts'
import { openVault } from '../../vault.ts'
import { card, kid, pair, vectors } from './vectors.ts'

test.each(vectors)('C-02 a JWE from %s is decrypted', async (_name, jwe) => {
  const vault = openVault()
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  onTestFinished(() => {
    db.close()
  })
  const keyring = new Keyring(db, vault.master, vault.engine.tenant_id)
  const now = vault.clock.now()
  insertClientKey(db, {
    id: kid,
    private: sealPrivateKey({ keyring }, kid, pair.d),
    public: Buffer.from(pair.x, 'base64url'),
    created_at: now,
    expires_at: now + 1,
  })
  const decrypted = await decryptJwes({ db, keyring, now: () => now }, [jwe])
  expect(decrypted.get(jwe)?.value).toEqual(card)
  expect((await decryptJwes({ db, keyring, now: () => now + 1 }, [jwe])).size).toBe(0)
})
