/** Members of answers that are not counted as a difference, by the reason. Once an answer has one, the test fails. */
export const notCounted: Readonly<Record<string, readonly string[]>> = {
  'The service has removed them': [
    ...['Proxy.requestReactorId', 'Proxy.responseReactorId', 'Reactor.formula', 'Token.privacy'],
    ...['TokenIntent', 'CreateTokenIntentResponse'].flatMap((each) =>
      ['authentication', 'networkToken'].map((member) => `${each}.${member}`),
    ),
  ],
  'Only connections of wallets, which the service has removed, gave it to a token': ['Token.authentication'],
  'A network token has no security code': ['Card.cvc'],
  'Off by default in the service': ['Token.enrichments'],
  'Only rules of sessions have conditions, and no answer shows these': ['AccessRule.conditions'],
  'A tenant has at most five webhooks, fewer than a page': ['WebhookListPagination.next'],
  'The only member of a vault never changes': [
    'TenantMemberResponse.modifiedAt',
    'TenantMemberResponse.modifiedBy',
  ],
  'No method changes a payment of a wallet': ['ApplePayToken', 'GooglePayToken'].flatMap((each) => [
    `${each}.modifiedAt`,
    `${each}.modifiedBy`,
  ]),
  'Nothing published says when the service answers them, or with what': [
    ...['statusReason', 'statusReasonCode', 'statusReasonLabel'].map((each) => `NetworkStatusDetail.${each}`),
    ...['Pagination.after', 'Pagination.next'],
    ...['clientCertificate', 'proxyHost', 'timeout'].map((each) => `Proxy.${each}`),
    ...['ApplePayToken.ingestSource', 'GooglePayToken.ingestSource'],
    ...[
      ...['authenticationResponses', 'cardholderName', 'currencyCode', 'deviceManufacturerIdentifier'],
      ...['merchantTokenIdentifier', 'paymentDataType', 'status', 'transactionAmount', 'transactionId'],
    ].map((each) => `TokenServiceProviderDetails.${each}`),
    ...['AgenticCard.type', 'VerificationResponse.authContext'],
    ...['ThreeDsAuthentication.acsSignedContent', 'Token.aliases', 'TokenExtras.tspDetails'],
  ],
}
