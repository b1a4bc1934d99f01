/** Providers like to quote a key they refuse. The bodies of their refusals are read without it. */
export function discreetFetch(secret: string | undefined): typeof globalThis.fetch {
  if (!secret) return globalThis.fetch;
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    return new Response((await response.text()).replaceAll(secret, '***'), { status, statusText, headers });
  };
}
