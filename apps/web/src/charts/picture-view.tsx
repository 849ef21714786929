import { figureFont, type Picture, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { createElement, type ReactElement, type ReactNode } from 'react';
import styles from './picture-view.module.css';

type PictureViewProps = {
  picture: Picture;
  /** Keeps the drawn width; otherwise the picture fills its column. */
  isFixed?: boolean;
};

/** A picture as SVG elements. */
export function PictureView({ picture, isFixed = false }: PictureViewProps): ReactElement {
  const { width, height, label, nodes } = picture;
  return (
    <svg
      className={isFixed ? styles.fixed : styles.picture}
      {...(isFixed ? { width, height } : {})}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      fontFamily={figureFont}
      fontSize={11}
    >
      {nodes.map(elementOf)}
    </svg>
  );
}

function elementOf({ tag, attrs, children }: SvgNode, index: number): ReactNode {
  return createElement(
    tag,
    { ...attrs, key: index },
    ...children.map((child, place) => (typeof child === 'string' ? child : elementOf(child, place))),
  );
}
