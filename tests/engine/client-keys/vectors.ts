/** A key pair, and a card that three other implementations encrypted for it. */
export const pair = {
  d: 'MEXrV-H2lEQsoMuNWLVT29Tj4iCEs9gCY9jShGLCWko',
  x: '7DGDbjuUOcUgG_jnCA-0Y6Ya2qzjuUdykEzQM1Q-HWo',
}
export const kid = '5f0c8a3e-9d5b-4d67-8f0e-2f8a1c7b6d11'
export const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }

export const vectors = [
  [
    'Python, joserfc 1.8.0',
    'eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSIsImtpZCI6IjVmMGM4YTNlLTlkNWItNGQ2Ny04ZjBlLTJmOGExYzdiNmQxMSIsImVwayI6eyJjcnYiOiJYMjU1MTkiLCJ4IjoibXVvNERCTm1oUGJpWlRWSmxkU2dIOEowMmc5NnFpb01lWWxDUTNXSmtqVSIsImt0eSI6Ik9LUCJ9fQ..voqDzLRQgg4_94xr.qZyaz8s9Ovh0h4ZE6pQMncNFSTqYUK_fOv3Aw2wHLMP3TOLvz1CnWIfKdM84q5YyHmJZqlvSALyqQeio75nrIBT22kZBR1HoprE.lSFWyw49Ma8-6D3IFKnjXQ',
  ],
  [
    'Python, jwcrypto 1.6.1',
    'eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSIsImVwayI6eyJjcnYiOiJYMjU1MTkiLCJrdHkiOiJPS1AiLCJ4IjoiYzJ3RWNDUHc1M0Q1YjBrZzlvdHdJa1JVTTE1eVpfUXVDeVBYYWxpT01VSSJ9LCJraWQiOiI1ZjBjOGEzZS05ZDViLTRkNjctOGYwZS0yZjhhMWM3YjZkMTEifQ..Ujco7QPv5diD3uCu.9M7IQEMt0jLjNlP7qOXFqb7tAzfxJPXsjL-gTp1yBJV-t1CvCEbBqTPuvJHuD2ERb-OOG0YwpuEx7A0Gjnfotkgj1n8K_zL6f6E.X45GaVsIsk5Miz-gbne7Qg',
  ],
  [
    'Go, lestrrat-go/jwx 3.3.0',
    'eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSIsImVwayI6eyJjcnYiOiJYMjU1MTkiLCJrdHkiOiJPS1AiLCJ4IjoiWENfVVhRYmpRclk3R3Z6M0RDNWhlTG0tT2VsejlxVnRuS2F1clo2dHozUSJ9LCJraWQiOiI1ZjBjOGEzZS05ZDViLTRkNjctOGYwZS0yZjhhMWM3YjZkMTEifQ..Cr3U6YCkZUbecUgv.1yizRML3942ACim4WoEV-N0UBjW3XA1hyWW94qlcSOqjS_DWfB_d3ExA1D9WjJ5gmSzJk-q13V7eqb36v68ep46x8PR4jp_h8Hg.qSK3BBBk_-h8Ekc_Avf7CA',
  ],
] as const
