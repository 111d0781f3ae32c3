/** The addresses of the documented service that its clients have in their code. No other file has them. */

/** The APIs whose addresses a program may have. */
export const INTERCEPTED_APIS = ['training', 'inference', 'platform'] as const
export type InterceptedApi = (typeof INTERCEPTED_APIS)[number]

interface DocumentedAddress {
  readonly api: InterceptedApi
  readonly url: string
}

/** All that are known, with who calls them: addresses moved between versions of the clients. */
export const DOCUMENTED_ADDRESSES: readonly DocumentedAddress[] = [
  // openpipe-art 0.5.0 to 0.5.23, art/serverless/client.py: training and chats, no variable changes it.
  { api: 'training', url: 'https://api.training.wandb.ai/v1' },
  // The servers of the reference of the training API, 2026-11. The rest of the host is a web application.
  { api: 'training', url: 'https://forge.coreweave.com/api/training/v1' },
  // The documentation of the inference service.
  { api: 'inference', url: 'https://api.inference.wandb.ai/v1' },
  // wandb 0.19.11 to 0.26.1, the default base address.
  { api: 'platform', url: 'https://api.wandb.ai' },
  // wandb 0.31.0, the default base address.
  { api: 'platform', url: 'https://api.forge.coreweave.com' },
  // wandb 0.31.0 calls the address above in its place (sdk/lib/urls.py). Older releases call it as it is.
  { api: 'platform', url: 'https://forge.coreweave.com/api/wandb' },
  // weave, which the client imports: it goes on without traces after a 404.
  { api: 'platform', url: 'https://trace.wandb.ai' },
]
