import { device_context, device_info, payment } from '../../shared/example-payment.ts'
import type { Json } from '../../shared/json.ts'

/** An example body of each operation, for the reference page, the collections and the OpenAPI document. */
export const examples: Readonly<Record<string, Json>> = {
  'tokens.create': {
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2035, cvc: '123' },
    containers: ['/pci/high/'],
    metadata: { customer: 'ada' },
    search_indexes: ['{{ data.number | last4 }}'],
  },
  'tokens.update': { metadata: { customer: 'grace' } },
  'tokens.search': { query: 'data:4242', size: 20 },
  'tokens.searchV1': { query: 'metadata.customer:ada', page: 1, size: 20 },
  'tokens.tokenize': {
    name: 'Ada Lovelace',
    card: { type: 'card_number', data: '4242424242424242' },
  },
  'tokens.detokenize': { number: "{{ 4f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10 | json: '$.number' }}" },
  'tokenIntents.create': { type: 'card_number', data: '4242424242424242' },
  'enrichments.bankAccountVerify': { token_id: '4f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10', country_code: 'US' },
  'applications.create': {
    name: 'Support desk',
    type: 'private',
    rules: [
      {
        description: 'Reads masked cards',
        priority: 1,
        container: '/pci/',
        transform: 'mask',
        permissions: ['token:read', 'token:search'],
      },
    ],
  },
  'applications.update': { name: 'Support desk', permissions: ['token:read'] },
  'proxies.create': {
    name: 'Payments',
    destination_url: 'https://echo.coffer.test',
    request_transform: {
      type: 'append_header',
      options: { location: 'X-Shop', value: '{{ config: shop }}' },
    },
    configuration: { shop: 'ada' },
  },
  'proxies.update': { name: 'Payments', destination_url: 'https://echo.coffer.test/v2' },
  'proxies.patch': { name: 'Payments, second version' },
  'reactors.create': {
    name: 'Echo',
    code: 'module.exports = async function (req) {\n  return { raw: req.args }\n}',
    configuration: { shop: 'ada' },
  },
  'reactors.update': {
    name: 'Echo',
    code: 'module.exports = async function (req) {\n  return { raw: req.configuration }\n}',
  },
  'reactors.patch': { name: 'Echo, second version' },
  'reactors.react': { args: { name: 'Ada' } },
  'reactors.reactAsync': { args: { name: 'Ada' } },
  'webhooks.create': {
    name: 'Shop',
    url: 'http://localhost:3000/hooks',
    events: ['token.created', 'token.deleted'],
  },
  'webhooks.update': {
    name: 'Shop',
    url: 'http://localhost:3000/hooks',
    events: ['token.created'],
    status: 'disabled',
  },
  'threeDs.create': {
    token_id: '4f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10',
    device: 'browser',
    device_info,
  },
  'threeDs.authenticate': payment,
  'sessions.authorize': { nonce: 'the nonce from POST /sessions', permissions: ['token:create'] },
  'applePay.create': {
    apple_payment_data: {
      paymentData: {
        data: '8a2FSW…',
        signature: 'MIAGCSqGSIb3…',
        version: 'EC_v1',
        header: {
          publicKeyHash: 'l0CnXdMv…',
          ephemeralPublicKey: 'MFkwEwYHKoZIzj0…',
          transactionId: '32b97c3ea20d…',
        },
      },
      transactionIdentifier: '32B97C3EA20D…',
    },
  },
  'applePay.createSession': { domain: 'shop.example.com', display_name: 'Shop' },
  'applePay.createDomain': { domain: 'shop.example.com' },
  'applePay.replaceDomains': { domains: ['shop.example.com', 'www.example.com'] },
  'applePay.removeDomain': { domain: 'shop.example.com' },
  'applePay.createMerchant': { merchant_identifier: 'merchant.com.example.shop' },
  'applePay.createCertificates': {
    payment_processor_certificate_data: 'MIIEjAIBAzCCBEI…',
    payment_processor_certificate_password: 'the password of the PKCS#12 file',
  },
  'googlePay.create': {
    google_payment_data: {
      protocolVersion: 'ECv2',
      signature: 'MEQCIH6Q4…',
      signedMessage: '{"encryptedMessage":"…"}',
    },
  },
  'googlePay.createMerchant': { merchant_identifier: 'BCR2DN6T7654321' },
  'googlePay.createCertificates': {
    merchant_certificate_data: 'MIIDygIBAzCCA3Q…',
    merchant_certificate_password: 'the password of the PKCS#12 file',
  },
  'invitations.create': { email: 'ada@example.com', role: 'READ_ONLY' },
  'members.transferOwner': { member_id: '3f2f7c7e-6a1b-4f6f-9a52-0f1d9a5f7c11' },
  'members.update': { role: 'OWNER' },
  'accountUpdaterJobs.create': { deduplicate_tokens: true, result_version: '1.2' },
  'accountUpdater.invoke': { token_id: '4f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10', deduplicate_token: false },
  'merchants.create': {
    name: 'Shop',
    details: {
      merchant: { full_legal_name: 'Shop Ltd', category_code_mcc: '7922', address: { country: 'GB' } },
      card_network_info: { visa: { acquirer_bin: '000000999', card_acceptor_id_caid: '9876543210001' } },
    },
  },
  'merchants.update': { name: 'Shop', details: { merchant: { descriptor: 'SHOP' } } },
  'merchants.requestOnboarding': { account_updater: ['visa', 'mastercard'] },
  'networkTokens.create': {
    data: { number: '4000000000000002', expiration_month: 10, expiration_year: 2035 },
    cardholder_info: { name: 'Ada Lovelace', address: { line1: '1 Test Lane', country_code: 'GB' } },
  },
  'tenantConnections.create': { strategy: 'okta', options: { domain_aliases: ['example.com'] } },
  'tenants.setSecurityContact': { email: 'security@example.com' },
  'tenants.update': { name: 'Shop', settings: { deduplicate_tokens: 'true' } },
  'agents.create': { name: 'Travel' },
  'agents.update': { name: 'Travel and hotels', instance_details: { brand: 'Ada', type: 'laptop' } },
  'enrollments.create': {
    token_id: '4f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10',
    consumer: { email: 'ada@example.com' },
  },
  'enrollments.startVerification': { device_context },
  'enrollments.selectMethod': { method_id: 'email' },
  'enrollments.submitOtp': { otp_code: '123456' },
  'instructions.create': {
    enrollment_id: 'enr_Vb6V4KPx1JrM0cTq2sYwd',
    amount: { value: '25.00', currency: 'USD' },
    description: 'A train ticket',
    expires_at: '2035-01-01T00:00:00Z',
  },
  'instructions.update': { amount: { value: '50.00', currency: 'USD' } },
  'instructions.startVerification': { device_context },
  'instructions.submitPasskey': {
    assurance_data: { identifier: 'passkey-1', fido_assertion_data: 'eyJhIjoxfQ' },
    src_correlation_id: 'correlation-1',
    flow_id: 'flow-1',
  },
  'instructions.getCredentials': {
    merchant: { name: 'Railway', url: 'https://railway.example.com', country_code: 'DE' },
  },
  'instructions.confirm': {
    confirmation_data: [{ transaction_status: 'approved', transaction_type: 'purchase', amount: '25.00' }],
  },
}
