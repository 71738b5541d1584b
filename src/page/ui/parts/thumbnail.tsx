import { useSignal } from "@preact/signals";
import { thumbnailUrl } from "../state/source.ts";
import { Icon } from "./icons.tsx";

/** A small version of a picture. The text beside it describes it. */
export function Thumbnail({ sha256, alt = "" }: { readonly sha256: string; readonly alt?: string }) {
  const failed = useSignal<string | null>(null);
  const url = thumbnailUrl(sha256);
  if (url === undefined || failed.value === sha256) {
    return (
      <span class="no-picture">
        <Icon name="targets" />
      </span>
    );
  }
  return (
    <img
      src={url}
      alt={alt}
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={() => {
        failed.value = sha256;
      }}
    />
  );
}
