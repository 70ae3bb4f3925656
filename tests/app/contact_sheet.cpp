// SPDX-License-Identifier: GPL-3.0-or-later
// contact_sheet OUT.png COLUMNS PICTURE…: many pictures on one, each with its file's name, for a person to look at.
#include <QFileInfo>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include <cstdio>

int main(int argc, char** argv)
{
    const QGuiApplication application(argc, argv);
    const int columns = argc > 3 ? QString::fromLocal8Bit(argv[2]).toInt() : 0;
    if (columns < 1) {
        std::fprintf(stderr, "usage: contact_sheet OUT.png COLUMNS PICTURE...\n");
        return 2;
    }
    constexpr int kWidth = 480, kHeight = 300, kLabel = 22, kGap = 8;
    const int count = argc - 3;
    const int rows = (count + columns - 1) / columns;
    QImage sheet(columns * (kWidth + kGap) + kGap, rows * (kHeight + kLabel + kGap) + kGap, QImage::Format_RGB32);
    sheet.fill(QColor("#808080"));
    QPainter painter(&sheet);
    for (int i = 0; i < count; ++i) {
        const QImage picture(QString::fromLocal8Bit(argv[3 + i]));
        const QPoint corner(kGap + i % columns * (kWidth + kGap), kGap + i / columns * (kHeight + kLabel + kGap));
        painter.setPen(Qt::white);
        painter.drawText(QRect(corner, QSize(kWidth, kLabel)), Qt::AlignVCenter,
                         QFileInfo(QString::fromLocal8Bit(argv[3 + i])).completeBaseName());
        const QImage small = picture.scaled(kWidth, kHeight, Qt::KeepAspectRatio, Qt::SmoothTransformation);
        painter.drawImage(corner + QPoint(0, kLabel), small);
    }
    painter.end();
    return sheet.save(QString::fromLocal8Bit(argv[1])) ? 0 : 1;
}
