import {
  type BaseBlock,
  Constructed,
  fromBER,
  Integer,
  ObjectIdentifier,
  OctetString,
  Primitive,
} from 'asn1js'

/** SECURITY: bounds what a file of a caller can make the parser do (case X-65). */
const limits = { maxNodes: 2000, maxDepth: 40, parseEmbedded: false }

/** Parses one value of ASN.1. Throws any error if the bytes are not BER. */
export function parseBer(bytes: Uint8Array): Ber {
  const { offset, result } = fromBER(bytes, limits)
  if (offset < 0) throw new Error('not BER')
  return new Ber(result)
}

/** A value of ASN.1, read step by step. Every method throws if the value has another form. */
export class Ber {
  readonly #block: BaseBlock

  constructor(block: BaseBlock) {
    this.#block = block
  }

  /** The member of a sequence or set at an index, or the content of an explicit tag at 0. */
  getMember(index: number): Ber {
    const member = this.members[index]
    if (!member) throw new Error('a member is missing')
    return member
  }

  get members(): readonly Ber[] {
    if (!(this.#block instanceof Constructed)) throw new Error('not constructed')
    return this.#block.valueBlock.value.map((each) => new Ber(each))
  }

  /** The number of a context-specific tag; undefined for a universal tag. */
  get tag(): number | undefined {
    const { tagClass, tagNumber } = this.#block.idBlock
    return tagClass === 3 ? tagNumber : undefined
  }

  /** The bytes of an octet string, whose tag may be implicit. */
  get bytes(): Buffer {
    if (this.#block instanceof OctetString) return Buffer.from(this.#block.getValue())
    if (this.#block instanceof Primitive) return Buffer.from(this.#block.valueBlock.valueHexView)
    return Buffer.concat(this.members.map(({ bytes }) => bytes))
  }

  get oid(): string {
    if (!(this.#block instanceof ObjectIdentifier)) throw new Error('not an object identifier')
    return this.#block.getValue()
  }

  get integer(): number {
    if (!(this.#block instanceof Integer)) throw new Error('not an integer')
    return Number(this.#block.toBigInt())
  }

  get isInteger(): boolean {
    return this.#block instanceof Integer
  }

  /** The value as it was encoded. */
  get encoded(): Buffer {
    return Buffer.from(this.#block.valueBeforeDecodeView)
  }
}
