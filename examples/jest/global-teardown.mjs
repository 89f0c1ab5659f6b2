export default () => globalThis.coffer.close()
